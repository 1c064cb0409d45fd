"""Who may read the GPU's hardware counters: RmProfilingAdminOnly of /proc/driver/nvidia/params."""

import re

from perfproof.machine import kernel_files, privileges

PARAMS = "/proc/driver/nvidia/params"
FIX = (
    "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/gpu-counters.conf"
    " && sudo update-initramfs -u && sudo reboot"
)
SCRIPT = """\
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/gpu-counters.conf
if command -v update-initramfs > /dev/null; then sudo update-initramfs -u; else sudo dracut --force; fi
echo 'Restart the machine to load the driver with this setting.'"""
CONTAINER_FIX = "docker run --cap-add=SYS_ADMIN ..."


def admin_only() -> bool | str:
    """True where only administrators may; or why it is not known."""
    return parse(kernel_files.read_text(PARAMS))


def parse(text: str | None) -> bool | str:
    """ "RmProfilingAdminOnly: 1"."""
    if text is None:
        return f"unknown: {PARAMS} cannot be read"
    match = re.search(r"^RmProfilingAdminOnly:\s*([01])\s*$", text, re.MULTILINE)
    if match is None:
        return kernel_files.strange(PARAMS)
    return match[1] == "1"


def is_admin() -> bool | None:
    return privileges.has("CAP_SYS_ADMIN")
