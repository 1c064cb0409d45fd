"""A guest is known by what its hypervisor cannot hide, and bare metal is not taken for one."""

import pytest

from perfproof.machine import virtual_machine

ARM = "processor : 0\nFeatures : fp asimd\nCPU implementer : 0x41\nCPU part : 0xd0c"
DMI = "/sys/class/dmi/id"


def test_an_x86_guest_is_known_by_its_flag_or_its_board(machine):
    assert str(virtual_machine.find()).startswith("unknown: ")
    machine("/proc/cpuinfo", "flags : fpu sse")
    assert virtual_machine.find() is False
    machine("/proc/cpuinfo", "flags : fpu hypervisor")
    assert virtual_machine.find() is True
    machine(f"{DMI}/product_name", "KVM")
    assert virtual_machine.find() == "KVM"


@pytest.mark.parametrize("cpuinfo", ["flags : fpu sse", ARM])
def test_bare_metal_of_a_cloud_is_no_guest(machine, cpuinfo):
    machine("/proc/cpuinfo", cpuinfo)
    machine(f"{DMI}/sys_vendor", "Amazon EC2")
    machine(f"{DMI}/product_name", "c7g.metal")
    machine("/sys/bus/virtio/devices/virtio0/device", "0x0001")
    assert virtual_machine.find() is False


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (f"{DMI}/sys_vendor", "Amazon EC2", "Amazon EC2"),
        (f"{DMI}/product_name", "QEMU Virtual Machine", "QEMU"),
        (f"{DMI}/product_name", "Apple Virtualization Generic Platform", "Apple Virtualization"),
        ("/proc/device-tree/hypervisor/compatible", "linux,kvm\0", "KVM"),
        ("/proc/device-tree/hypervisor/compatible", "somebody,own", True),
        ("/proc/device-tree/compatible", "linux,dummy-virt\0", True),
        ("/sys/bus/acpi/devices/QEMU0002:00/status", "15", "QEMU"),
        ("/sys/bus/acpi/devices/VMGENCTR:00/status", "15", True),
        ("/sys/class/ptp/ptp0/clock_name", "KVM virtual PTP", True),
        ("/sys/bus/virtio/devices/virtio0/device", "0x0001", True),
        ("/proc/stat", "cpu  10 5 15 60 10 1 2 3 0 0", True),
    ],
)
def test_an_arm_guest_has_no_flag_and_is_known_by_other_signs(machine, path, text, said):
    machine("/proc/cpuinfo", ARM)
    machine(path, text)
    assert virtual_machine.find() == said


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (f"{DMI}/product_name", "Grace CPU P3880"),
        ("/proc/device-tree/model", "NVIDIA Jetson AGX Orin Developer Kit\0"),
    ],
)
def test_an_arm_board_without_any_sign_is_bare_metal(machine, path, text):
    machine("/proc/cpuinfo", ARM)
    machine("/proc/stat", "cpu  10 5 15 60 10 1 2 0 0 0")
    machine("/sys/bus/acpi/devices/PNP0A08:00/status", "15")
    machine(path, text)
    assert virtual_machine.find() is False


def test_an_arm_machine_that_shows_nothing_is_unknown(machine):
    machine("/proc/cpuinfo", ARM)
    assert str(virtual_machine.find()).startswith("unknown: ")
