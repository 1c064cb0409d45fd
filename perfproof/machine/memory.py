"""Memory of the machine: how much, how much is free, swap, huge pages, and whether it is short right now."""

import re

from perfproof.core.hardware import Memory
from perfproof.core.units import KiB
from perfproof.machine import kernel_files

MEMINFO = "/proc/meminfo"
TRANSPARENT = "/sys/kernel/mm/transparent_hugepage/enabled"


def read_memory() -> Memory:
    text = kernel_files.read_text(MEMINFO)
    return Memory(
        total_bytes=parse_bytes(text, "MemTotal"),
        available_bytes=parse_bytes(text, "MemAvailable"),
        swap_bytes=parse_bytes(text, "SwapTotal"),
        swap_free_bytes=parse_bytes(text, "SwapFree"),
        huge_page_bytes=parse_bytes(text, "Hugepagesize"),
        huge_pages=parse_count(text, "HugePages_Total"),
        huge_pages_free=parse_count(text, "HugePages_Free"),
        transparent_huge_pages=parse_chosen(kernel_files.read_text(TRANSPARENT)),
    )


def swapped_pages() -> int | None:
    """Pages that went to or came from swap since the machine started; None where nothing tells."""
    text = kernel_files.read_text("/proc/vmstat") or ""
    counts = [re.search(rf"^{name} ([0-9]{{1,19}})$", text, re.MULTILINE) for name in ("pswpin", "pswpout")]
    return sum(int(count[1]) for count in counts if count) if all(counts) else None


def pressure() -> float | None:
    """Share of the last ten seconds in which some task waited for memory (PSI); None where nothing tells."""
    text = kernel_files.read_text("/proc/pressure/memory") or ""
    match = re.search(r"^some avg10=([0-9]{1,3}\.[0-9]{1,4}) ", text, re.MULTILINE)
    return float(match[1]) / 100 if match and float(match[1]) <= 100 else None


def parse_bytes(text: str | None, field: str) -> int | str:
    """A size of /proc/meminfo: "MemTotal:       24682740 kB"."""
    match = _find(text, field, r"([0-9]{1,15}) kB")
    return int(match) * KiB if match else _missing(text, field)


def parse_count(text: str | None, field: str) -> int | str:
    match = _find(text, field, r"([0-9]{1,15})")
    return int(match) if match else _missing(text, field)


def parse_chosen(text: str | None) -> str:
    """The word in brackets: "always [madvise] never"."""
    if text is None:
        return "unknown: the kernel has no such setting"
    match = re.search(r"\[([a-z+_-]{1,40})\]", text)
    return match[1] if match else kernel_files.strange("the list of choices")


def _find(text: str | None, field: str, value: str) -> str | None:
    match = re.search(rf"^{field}:\s+{value}\s*$", text or "", re.MULTILINE)
    return match[1] if match else None


def _missing(text: str | None, field: str) -> str:
    if text is None:
        return f"unknown: {MEMINFO} cannot be read"
    if re.search(rf"^{field}:", text, re.MULTILINE):
        return kernel_files.strange(f"{field} of {MEMINFO}")
    return f"unknown: {MEMINFO} has no {field}"
