"""What this process may do: the effective capabilities of capabilities(7), from /proc/self/status."""

import re

from perfproof.machine import kernel_files

BITS = {"CAP_SYS_PTRACE": 19, "CAP_SYS_ADMIN": 21, "CAP_SYSLOG": 34}


def has(name: str) -> bool | None:
    """Whether the capability is effective; None where the kernel does not tell."""
    return parse(kernel_files.read_text("/proc/self/status"), name)


def parse(status: str | None, name: str) -> bool | None:
    match = re.search(r"^CapEff:\s*([0-9a-fA-F]{1,16})\s*$", status or "", re.MULTILINE)
    return None if match is None else bool(int(match[1], 16) >> BITS[name] & 1)
