"""Take the 60-second checklist: load, kernel log, CPUs, processes, memory, disks, network, waiting; as a table.

Where vmstat, mpstat, pidstat, iostat and sar are installed their own output is kept. The table is always made from
/proc, so that it is the same on every machine.
"""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from perfproof.triage.evidence import Evidence
from perfproof.triage.processes import busiest, read_processes
from perfproof.triage.readings import Reading, read_once
from perfproof.triage.use_table import table

DEADLINE = 20
ALONE = True
INTERVALS, INTERVAL_SECONDS = 5, 1.0
TOOLS = (
    ("vmstat", "1", "5"),
    ("mpstat", "-P", "ALL", "1", "5"),
    ("pidstat", "1", "5"),
    ("iostat", "-xz", "1", "5"),
    ("sar", "-n", "DEV,TCP,ETCP", "1", "5"),
    ("free", "-m"),
)
NEWS = re.compile(r"Xid|AER:|oom-kill|Out of memory|thermal|throttl|I/O error|Hardware Error|mce:|NVRM", re.I)
NO_NEWS = re.compile(
    r"Registered thermal|NVRM: loading|AER: enabled|mce: (?:CPU|Using)|thermal_sys:", re.I
)  # of a start
MOST_LINES = 200


def collect(evidence: Evidence) -> None:
    evidence.read("/proc/loadavg", keep="loadavg.txt")
    log = evidence.ask("dmesg", keep="dmesg-news.txt")
    _keep_news(evidence, log.out)
    with ThreadPoolExecutor(max_workers=len(TOOLS)) as beside:
        asked = [beside.submit(evidence.ask, *tool, seconds=10) for tool in TOOLS]
        processes = read_processes()
        readings = take_readings(INTERVALS, INTERVAL_SECONDS)
        used = busiest(processes, read_processes())
        for one in asked:
            one.result()
    for name in ("cpu", "memory", "io"):
        evidence.read(f"/proc/pressure/{name}", keep=f"pressure-{name}.txt")
    series = [table(before, after).model_dump() for before, after in pairwise(readings)]
    evidence.save("checklist", {"intervals": series, "busiest_processes": used, "kernel_news": news(log.out)})
    evidence.save("use", table(readings[0], readings[-1]).model_dump())


def take_readings(intervals: int, seconds: float) -> list[Reading]:
    found = [read_once()]
    for _ in range(intervals):
        time.sleep(seconds)
        found.append(read_once())
    return found


def news(text: str) -> list[str]:
    """Lines of the kernel's log that tell of faults; the last ones of many."""
    return [line for line in text.splitlines() if NEWS.search(line) and not NO_NEWS.search(line)][-MOST_LINES:]


def _keep_news(evidence: Evidence, text: str) -> None:
    """Of the kernel's log only its news: the rest names hosts, addresses and serial numbers, and helps nobody."""
    path = evidence.folder / "raw" / evidence.step / "dmesg-news.txt"
    path.unlink(missing_ok=True)
    if not evidence.keep("dmesg-news.txt", "\n".join(news(text))):
        evidence.commands[-1] = evidence.commands[-1].model_copy(update={"output": ""})
