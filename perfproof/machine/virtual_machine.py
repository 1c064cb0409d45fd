"""Is this machine a guest, and of which hypervisor?

An x86 guest has the CPU flag `hypervisor`. An Arm guest has no such flag, so the board, the firmware, the virtual
devices and the stolen time have to tell. Every file here can be read without privileges.
"""

import re

from perfproof.machine import kernel_files

BOARDS = {  # in the maker's or the product's name of the board (SMBIOS)
    "kvm": "KVM",
    "qemu": "QEMU",
    "vmware": "VMware",
    "virtualbox": "VirtualBox",
    "xen": "Xen",
    "virtual machine": "Virtual Machine",
    "amazon ec2": "Amazon EC2",
    "google compute engine": "Google Compute Engine",
    "openstack": "OpenStack",
    "parallels": "Parallels",
    "apple virtualization": "Apple Virtualization",
    "alibaba cloud ecs": "Alibaba Cloud ECS",
    "cloud hypervisor": "Cloud Hypervisor",
    "nutanix ahv": "Nutanix AHV",
    "bhyve": "bhyve",
    "bochs": "Bochs",
}
TREES = {"linux,kvm": "KVM", "xen,xen": "Xen", "vmware": "VMware"}  # /proc/device-tree/hypervisor/compatible
FIRMWARE: dict[str, str | bool] = {  # ids of ACPI devices that only a guest has
    "QEMU0002": "QEMU",
    "VMGENCTR": True,
    "MSFT1000": "Hyper-V",
    "XENV0000": "Xen",
}
MACHINES_OF_QEMU = ("linux,dummy-virt", "qemu,")  # also those of Firecracker and crosvm


def find() -> str | bool:
    """The hypervisor's name, True for one without a name, False on bare metal, "unknown: ..." if nothing tells."""
    named = _by_kernel() or _by_board() or _by_device_tree() or _by_firmware()
    if named:
        return named
    flags = re.search(r"^flags\s*:(.*)$", kernel_files.read_text("/proc/cpuinfo") or "", re.MULTILINE)
    if flags:
        return "hypervisor" in flags.group(1).split()
    return _by_signs()


def _by_kernel() -> str | None:
    kind = kernel_files.read_text("/sys/hypervisor/type")
    return kind or None


def _by_board() -> str | None:
    board = _board().lower()
    if "metal" in board:
        return None
    return next((name for mark, name in BOARDS.items() if mark in board), None)


def _by_device_tree() -> str | bool:
    """Arm guests without ACPI: their device tree says who made it."""
    compatible = kernel_files.read_text("/proc/device-tree/hypervisor/compatible") or ""
    if compatible:
        return next((name for mark, name in TREES.items() if mark in compatible), True)
    root = kernel_files.read_text("/proc/device-tree/compatible") or ""
    return any(mark in root for mark in MACHINES_OF_QEMU)


def _by_firmware() -> str | bool:
    devices = kernel_files.names("/sys/bus/acpi/devices", "*")
    ids = {device.partition(":")[0] for device in devices}
    return next((name for mark, name in FIRMWARE.items() if mark in ids), False)


def _by_signs() -> str | bool:
    """An Arm machine that no name gives away."""
    if _stolen_ticks() > 0 or kernel_files.read_text("/sys/class/ptp/ptp0/clock_name") == "KVM virtual PTP":
        return True
    board = _board() or kernel_files.read_text("/proc/device-tree/model")
    if board:
        return False  # a real board, and nothing above spoke against it: a cloud's bare metal may have virtio disks
    if kernel_files.names("/sys/bus/virtio/devices", "virtio*"):
        return True
    return "unknown: no board, device tree or virtual device is to be seen"


def _board() -> str:
    names = (kernel_files.read_text(f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name"))
    return " ".join(name for name in names if name)


def _stolen_ticks() -> int:
    """Time that the hypervisor gave to others while this machine had work: bare metal has none."""
    line = (kernel_files.read_text("/proc/stat") or "").partition("\n")[0].split()
    return int(line[8]) if len(line) > 8 and line[0] == "cpu" and line[8].isdecimal() else 0
