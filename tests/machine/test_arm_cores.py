"""Arm processors by name: different ones have different names and kinds, also those that no table knows."""

import itertools

import pytest

from perfproof.machine import arm_cores, cpu, isa, snapshot
from perfproof.machine.hardware import read_hardware


def cpuinfo(*cores):
    """What Linux writes on arm64 for these (implementer, part): recorded lines of a Neoverse N1, with other numbers."""
    blocks = [
        f"processor\t: {index}\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes asimddp ssbs\n"
        f"CPU implementer\t: {implementer:#04x}\nCPU architecture: 8\nCPU variant\t: 0x3\n"
        f"CPU part\t: {part:#05x}\nCPU revision\t: 1\n"
        for index, (implementer, part) in enumerate(cores)
    ]
    return "\n".join(blocks)


def kind_of(model, cores=2):
    return snapshot.kind({"gpu": None, "cpu": {"model": model, "cores_physical": cores}})


@pytest.mark.parametrize(
    ("cores", "name", "kind"),
    [
        ([(0x41, 0xD0C)] * 2, "Neoverse N1", "neoverse-n1-2c"),
        ([(0x41, 0xD4F)] * 2, "Neoverse V2", "neoverse-v2-2c"),
        ([(0xC0, 0xAC3)] * 2, "AmpereOne", "ampereone-2c"),
        ([(0xC0, 0xAC4)] * 2, "AmpereOne A", "ampereone-a-2c"),
        ([(0x6D, 0xD49)] * 2, "Azure Cobalt 100", "azure-cobalt-100-2c"),
        ([(0x4E, 0x004)] * 2, "NVIDIA Carmel", "nvidia-carmel-2c"),
        ([(0x4E, 0x010)] * 2, "NVIDIA Olympus", "nvidia-olympus-2c"),
        ([(0x46, 0x001)] * 2, "Fujitsu A64FX", "fujitsu-a64fx-2c"),
        ([(0x41, 0xD87)] * 2 + [(0x41, 0xD85)] * 2, "Cortex-A725 + Cortex-X925", "cortex-a725-cortex-x925-2c"),
        ([(0x61, 0x024), (0x61, 0x025)], "Apple M1 Pro Icestorm + Apple M1 Pro Firestorm", "apple-m1-pro-2c"),
        ([(0x61, 0x000)], "Apple core 0x000", "apple-core-0x000-2c"),  # a guest on a Mac does not see the part
        ([(0x41, 0xFFE)], "Arm core 0xffe", "arm-core-0xffe-2c"),
        ([(0x99, 0x123)], "Arm-0x99 core 0x123", "arm-0x99-core-0x123-2c"),
    ],
)
def test_a_core_has_its_name_and_its_kind(machine, cores, name, kind):
    machine("/proc/cpuinfo", cpuinfo(*cores))
    assert cpu.model() == name
    assert kind_of(name) == kind


def test_no_two_arm_cores_have_the_same_kind():
    known = [(implementer, part) for implementer, parts in arm_cores.CORES.items() for part in parts]
    unknown = list(itertools.product([0x41, 0xC0, 0x99], [0xF00, 0xF01]))
    kinds = [kind_of(arm_cores.core_name(*core)) for core in known + unknown]
    twice = {kind for kind in kinds if kinds.count(kind) > 1}
    assert all(kind.startswith("apple-m") for kind in twice)  # the two kinds of core of one Apple processor
    assert len(kinds) > 60


@pytest.mark.parametrize(
    ("part", "vendor", "product", "name", "kind"),
    [
        (0xD40, "Amazon EC2", "c7g.large", "AWS Graviton3 (Neoverse V1)", "aws-graviton3-2c"),
        (0xD0C, "Amazon EC2", "im4gn.xlarge", "AWS Graviton2 (Neoverse N1)", "aws-graviton2-2c"),
        (0xD4F, "Amazon EC2", "r8g.metal-24xl", "AWS Graviton4 (Neoverse V2)", "aws-graviton4-2c"),
        (0xD08, "Amazon EC2", "a1.large", "AWS Graviton (Cortex-A72)", "aws-graviton-2c"),
        (0xD4F, "Amazon EC2", "p6e-gb200.36xlarge", "NVIDIA Grace (Neoverse V2)", "nvidia-grace-2c"),
        (0xD4F, "NVIDIA", "Grace CPU P3880", "NVIDIA Grace (Neoverse V2)", "nvidia-grace-2c"),
        (0xD4F, "Google", "Google Compute Engine", "Neoverse V2", "neoverse-v2-2c"),  # Axion, or Grace: not known
    ],
)
def test_the_board_tells_which_processor_a_core_is_sold_in(machine, part, vendor, product, name, kind):
    machine("/proc/cpuinfo", cpuinfo((0x41, part), (0x41, part)))
    machine("/sys/class/dmi/id/sys_vendor", vendor)
    machine("/sys/class/dmi/id/product_name", product)
    assert cpu.model() == name
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("part", "soc", "name"),
    [
        (0xD4F, "jep106:036b:0241", "NVIDIA Grace (Neoverse V2)"),
        (0xD0C, "jep106:0a16:0001", "Ampere Altra (Neoverse N1)"),
        (0xD0C, "jep106:ffff:0001", "Neoverse N1"),
    ],
)
def test_the_number_of_the_chip_tells_too(machine, part, soc, name):
    machine("/proc/cpuinfo", cpuinfo((0x41, part)))
    machine("/sys/devices/soc0/soc_id", soc)
    assert cpu.model() == name


def test_an_x86_processor_and_broken_lines_are_no_arm_processor():
    assert arm_cores.processor_name("processor : 0\nvendor_id : GenuineIntel\nmodel name : Intel(R) Xeon(R)") is None
    assert arm_cores.processor_name("CPU implementer : 0x41\nCPU part : what") is None
    assert arm_cores.processor_name("CPU part : 0xd0c") is None
    assert arm_cores.processor_name("") is None


def test_hw_shows_the_same_name_as_a_run_stores(machine):
    machine("/proc/cpuinfo", cpuinfo((0xC0, 0xAC3)))
    machine.allow(0)
    found = read_hardware()
    assert (found.cpu.model, found.cpu.vendor, isa.vendor()) == ("AmpereOne", "Ampere", "Ampere")
    assert found.kind.startswith("ampereone-")
