"""Which driver a build of torch needs: CUDA's own rules of compatibility, and the GPUs on the PCI bus without a driver.

A driver runs programs of its own CUDA version and of all older ones. Within one major version it also runs newer ones,
but it refuses PTX that they compile (CUDA Compatibility, "Minor Version Compatibility").
"""

from perfproof.machine import kernel_files

PCI = "/sys/bus/pci/devices"
NVIDIA = "0x10de"
DISPLAY = ("0x0300", "0x0302")  # class codes: a graphics card, a 3D controller (cards without a display output)
FIRST_DRIVERS = {11: "450.80.02", 12: "525.60.13", 13: "580.65.06"}  # CUDA's release notes: Linux, by major version


def gpus_on_the_bus() -> int:
    """NVIDIA GPUs that the PCI bus shows, with or without a driver."""
    folders = kernel_files.names(PCI, "*")
    return sum(_is_nvidia_gpu(f"{PCI}/{folder}") for folder in folders)


def first_driver(cuda: str) -> str | None:
    """The oldest driver that runs programs of this CUDA version: "13.0" needs 580.65.06."""
    return FIRST_DRIVERS.get(_numbers(cuda)[0])


def runs(driver_cuda: str, torch_cuda: str) -> str:
    """`all`, `no new ptx` if only the minor version is older, or `nothing`."""
    driver, wanted = _numbers(driver_cuda), _numbers(torch_cuda)
    if driver[0] < wanted[0]:
        return "nothing"
    return "all" if driver >= wanted else "no new ptx"


def has_kernels(capability: float, built_for: list[str]) -> bool:
    """Does a build with these targets run on a GPU? sm_80 runs on 8.0 to 8.9; compute_90 is compiled for 9.0 and newer.

    A target with a letter (sm_90a, compute_100f) is for that GPU alone, or for its family.
    """
    major, minor = divmod(round(capability * 10), 10)
    for target in built_for:
        kind, _, number = target.partition("_")
        digits = number.rstrip("af")
        if not digits.isdecimal():
            continue
        own_major, own_minor = divmod(int(digits), 10)
        if kind == "compute" and digits == number and (own_major, own_minor) <= (major, minor):
            return True
        if kind == "sm" and own_major == major and (own_minor == minor or (digits == number and own_minor <= minor)):
            return True
    return False


def _is_nvidia_gpu(device: str) -> bool:
    kind = kernel_files.read_text(f"{device}/class") or ""
    return kernel_files.read_text(f"{device}/vendor") == NVIDIA and kind.startswith(DISPLAY)


def _numbers(version: str) -> tuple[int, int]:
    """ "12.8" is (12, 8): a text would put 12.10 before 12.8."""
    major, _, rest = version.partition(".")
    minor = rest.partition(".")[0]
    return int(major) if major.isdecimal() else 0, int(minor) if minor.isdecimal() else 0
