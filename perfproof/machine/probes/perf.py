"""perf: CPU samples and hardware events. Virtual machines often have the tool and the permission, but no events."""

import re
from typing import Literal

from perfproof.core.child import Answer, ask
from perfproof.core.doctor import Finding
from perfproof.machine import kernel_files, tool_version

GROUP = "counters"
NAME = "perf"
INSTALL = "sudo apt-get install linux-perf || sudo apt-get install linux-tools-$(uname -r)"
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
FIX = "sudo sysctl kernel.perf_event_paranoid=1"
EVENTS = ("task-clock", "cycles", "instructions")

Counted = float | Literal["absent", "denied"]


def probe() -> Finding:
    program = tool_version.find("perf")
    level = kernel_files.read_int(PARANOID)
    if program is None:
        return Finding(name=NAME, state="absent", why="perf is not on the PATH", fix=INSTALL)
    tried = ask([program, "stat", "-x", ",", "-e", ",".join(EVENTS), "--", "true"])
    return judge(tried, level).model_copy(update={"version": tool_version.version_of(program)})


def judge(answer: Answer, paranoid: int | None) -> Finding:
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    counted = parse(answer.err)
    level = f"perf_event_paranoid is {'unknown' if paranoid is None else paranoid}"
    if re.search(r"No permission|Access to performance monitoring|not permitted|Permission denied", answer.text):
        return Finding(name=NAME, state="denied", why=f"the kernel refuses events; {level}", fix=FIX)
    if isinstance(counted.get("cycles"), float) and isinstance(counted.get("instructions"), float):
        return Finding(name=NAME, state="works", why=f"software and hardware events; {level}")
    if isinstance(counted.get("task-clock"), float):
        why = f"software events only: cycles and instructions are not counted here; {level}"
        return Finding(name=NAME, state="limited", why=why)
    return Finding(name=NAME, state="unknown", why=f"`perf stat -x,` answers {kernel_files.STRANGE}")


def parse(text: str) -> dict[str, Counted]:
    """`perf stat -x,`: value, unit, event, ...; "<not supported>" and "<not counted>" are absent, never 0."""
    found: dict[str, Counted] = {}
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) < 3:
            continue
        event = fields[2].partition(":")[0].strip("/").removeprefix("cpu/").removeprefix("cpu_core/")
        if event not in EVENTS:
            continue
        if fields[0] in ("<not supported>", "<not counted>"):
            found.setdefault(event, "absent")
        elif re.fullmatch(r"[0-9]{1,18}(?:\.[0-9]{1,9})?", fields[0]):
            found[event] = float(fields[0])
    return found
