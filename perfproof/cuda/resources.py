"""What a kernel takes of a multiprocessor, as the assembler reports it: no device is needed to know."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Resources:
    binary: str  # "sm_90a"
    registers: int  # a thread
    static_shared: int  # bytes a block; dynamic shared memory comes on top
    local: int  # bytes a thread: the stack frame, spilled registers included
    spill_stores: int  # bytes
    spill_loads: int
    max_threads: int | None = None  # a block; only the driver knows: None without a device


_ENTRY = re.compile(r"Compiling entry function '(?P<name>[^']+)' for '(?P<binary>sm_\w+)'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+)(?:\+\d+)? bytes smem")


def read_resources(log: str) -> dict[str, Resources]:
    """Every kernel that the assembler's verbose log speaks of, by its name in the binary."""
    found = {}
    entries = list(_ENTRY.finditer(log))
    for entry, after in zip(entries, [*entries[1:], None], strict=False):
        part = log[entry.end() : after.start() if after else len(log)]
        stack, used, shared = _own_stack(part, entry["name"]), _USED.search(part), _SHARED.search(part)
        if used is None or stack is None:
            continue
        local, stores, loads = stack
        taken = int(shared[1]) if shared else 0
        found[entry["name"]] = Resources(entry["binary"], int(used[1]), taken, local, stores, loads)
    return found


def _own_stack(part: str, name: str) -> tuple[int, int, int] | None:
    """The properties of the kernel itself: functions that it calls are listed after it in the same way."""
    match = _STACK.search(part, max(part.find(f"Function properties for {name}"), 0))
    return (int(match[1]), int(match[2]), int(match[3])) if match else None
