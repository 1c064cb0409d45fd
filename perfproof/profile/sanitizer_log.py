"""What compute-sanitizer printed: how many errors, its summary, and the first errors in a line each.

    ========= Invalid __global__ read of size 4 bytes
    =========     at copy(const float *, float *, long long)+0x120 in kernels.cu:12
    =========     by thread (3,0,0) in block (7,0,0)
    ========= ERROR SUMMARY: 1 error

racecheck ends with `RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)`. Its warnings are hazards that are
usually meant; they are not counted as errors, and they are kept behind them. A tool that cannot look at a kernel counts
a warning too (`Warning: CUDA Dynamic Parallelism is not supported by the selected tool`): then nothing was checked.
"""

import re
from dataclasses import dataclass

MARK = re.compile(r"^={9}(?: (?P<said>.*))?$", re.MULTILINE)
ERRORS = re.compile(r"ERROR SUMMARY: (\d+) errors?\s*$")
RACES = re.compile(r"RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) errors?, \d+ warnings?\)\s*$")
REPORT = re.compile(
    r"(?:Invalid|Misaligned|(?:Error|Warning): (?:Race|Potential)|Program hit|Uninitialized|Barrier error|Leaked|Fatal)"
)
BLIND = re.compile(r"Warning: (.*not supported by the selected tool.*)")
NO_KERNEL = "before first instrumented API call"
COMPLAINT = re.compile(
    r"(?:Error|Internal Sanitizer Error|Warning): (?!Race|Potential)|not supported|Unable to|Failed to"
)
MOST_REPORTS, PLACE_LINES = 8, 2  # reports that are kept; lines below one that say where and by whom


@dataclass(frozen=True)
class SanitizerLog:
    errors: int | None  # None: there is no summary, so nothing was checked
    summary: str = ""
    reports: tuple[str, ...] = ()
    problem: str = ""  # why there is nothing to count, in the tool's own words


def read_log(text: str) -> SanitizerLog:
    """The last summary counts: a program that starts others has several."""
    lines = [(match["said"] or "").rstrip() for match in MARK.finditer(text)]
    if not lines:
        return SanitizerLog(None, problem=_last(text) or "it printed nothing")
    if unseen := next((line for line in lines if NO_KERNEL in line), ""):
        return SanitizerLog(None, problem=f"no kernel ran under it ({_without_label(unseen)})")
    if blind := next((match for line in lines if (match := BLIND.match(line))), None):
        return SanitizerLog(None, problem=f"it did not look at every kernel: {blind[1]}")
    summary, errors = "", None
    for line in lines:
        if match := RACES.search(line) or ERRORS.search(line):
            summary, errors = line.strip(), max(errors or 0, int(match[1]))
    if errors is None:
        complaint = next((line for line in lines if COMPLAINT.search(line)), "")
        return SanitizerLog(None, problem=_without_label(complaint) or "it ended without a summary")
    return SanitizerLog(errors, summary, tuple(_reports(lines)[:MOST_REPORTS]))


def _reports(lines: list[str]) -> list[str]:
    found = []
    for place, line in enumerate(lines):
        if REPORT.match(line):
            below = [one.strip() for one in lines[place + 1 : place + 1 + PLACE_LINES] if one.startswith("    ")]
            found.append(" ".join([line.strip(), *below]))
    return sorted(found, key=lambda one: one.startswith("Warning: "))


def _without_label(line: str) -> str:
    return re.sub(r"^(?:Error|Warning|Internal Sanitizer Error): ", "", line.strip())


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
