"""Names of Arm processors: /proc/cpuinfo has two numbers per core, and never a name.

The numbers are those of the MIDR_EL1 register: an implementer and its part number (Arm's manuals of the cores, and
arch/arm64/include/asm/cputype.h of Linux). The same core is sold in several processors, for example Neoverse V2 in
NVIDIA Grace and in AWS Graviton4. The processor's own name is given only if a file that every user can read proves it:
a name that root alone can see would give one machine two names.
"""

import re
from pathlib import Path

from perfproof.machine import kernel_files

ARM, AMPERE, MICROSOFT = 0x41, 0xC0, 0x6D
IMPLEMENTERS = {
    ARM: "Arm",
    0x42: "Broadcom",
    0x43: "Cavium",
    0x46: "Fujitsu",
    0x48: "HiSilicon",
    0x4E: "NVIDIA",
    0x50: "APM",
    0x51: "Qualcomm",
    0x53: "Samsung",
    0x56: "Marvell",
    0x61: "Apple",
    0x69: "Intel",
    MICROSOFT: "Microsoft",
    0x70: "Phytium",
    AMPERE: "Ampere",
}
CORES: dict[int, dict[int, str]] = {}  # by implementer and part
for _line in Path(__file__).with_suffix(".csv").read_text(encoding="utf-8").splitlines()[1:]:
    _implementer, _part, _name = _line.split(",")
    CORES.setdefault(int(_implementer, 16), {})[int(_part, 16)] = _name
NAMED_AS_THEY_ARE_SOLD = (ARM, MICROSOFT, AMPERE)  # their names need no maker in front

GRAVITONS = {  # AWS: one core per generation
    "Cortex-A72": "AWS Graviton",
    "Neoverse N1": "AWS Graviton2",
    "Neoverse V1": "AWS Graviton3",
    "Neoverse V2": "AWS Graviton4",
}
SYSTEMS_ON_CHIP = {  # /sys/devices/soc0/soc_id: the maker's JEDEC code and its number of the chip
    "jep106:036b:0241": "NVIDIA Grace",
    "jep106:0a16:0001": "Ampere Altra",
}


def processor_name(cpuinfo: str) -> str | None:
    """ "AWS Graviton3 (Neoverse V1)", "Neoverse N1", "Cortex-A725 + Cortex-X925"; None if this is no Arm processor."""
    cores = core_names(cpuinfo)
    if not cores:
        return None
    sold_as = _sold_as(cores)
    return f"{sold_as} ({' + '.join(cores)})" if sold_as else " + ".join(cores)


def core_names(cpuinfo: str) -> list[str]:
    """Each kind of core once, in the order of the CPUs: a phone, a Mac and an NVIDIA GB10 have two kinds."""
    found = []
    for block in re.split(r"\n\s*\n", cpuinfo):
        implementer, part = number(block, "CPU implementer"), number(block, "CPU part")
        if implementer is not None and part is not None:
            found.append(core_name(implementer, part))
    return list(dict.fromkeys(found))


def core_name(implementer: int, part: int) -> str:
    """The name of a core. One that is not in the table keeps both numbers, so that two of them still differ."""
    maker = IMPLEMENTERS.get(implementer, f"Arm-{implementer:#04x}")
    name = CORES.get(implementer, {}).get(part)
    if name is None:
        return f"{maker} core {part:#05x}"
    return name if implementer in NAMED_AS_THEY_ARE_SOLD else f"{maker} {name}"


def implementer_name(cpuinfo: str) -> str | None:
    implementer = number(cpuinfo, "CPU implementer")
    return None if implementer is None else IMPLEMENTERS.get(implementer, f"implementer {implementer:#x}")


def number(text: str, key: str) -> int | None:
    match = re.search(rf"^{key}\s*:\s*(0x[0-9a-fA-F]{{1,8}})\s*$", text, re.MULTILINE)
    return int(match.group(1), 16) if match else None


def _sold_as(cores: list[str]) -> str | None:
    chip = SYSTEMS_ON_CHIP.get(kernel_files.read_text("/sys/devices/soc0/soc_id") or "")
    if chip:
        return chip
    board = {name: kernel_files.read_text(f"/sys/class/dmi/id/{name}") or "" for name in ("sys_vendor", "product_name")}
    product = board["product_name"].lower()
    if re.search(r"\b(?:gh|gb)[23]00\b|\bgrace\b", product) and cores == ["Neoverse V2"]:
        return "NVIDIA Grace"
    own = re.match(r"a1\.|[a-z]+\d+g", product)  # of AWS: a1.large, c7g.xlarge, hpc7g.4xlarge, im4gn.large
    return GRAVITONS.get(cores[0]) if board["sys_vendor"] == "Amazon EC2" and own else None
