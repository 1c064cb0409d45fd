"""The table that `perf stat` prints for people, as it is pasted or kept with `-o FILE`.

Digits are grouped as the locale of whoever ran it does. A count has no decimals, so all marks in it are grouping; a
value with a unit, such as `1,234.56 msec`, has its decimals behind the last mark.
"""

import re
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, Total
from perfproof.profile.opening import read_text
from perfproof.profile.readers.perf_stat import MISSING, with_remarks

TITLE = "Performance counter stats for"
VALUE = r"(?P<value><not \w+>|\d[\d.,'\u2019\u00a0\u202f]*)"
COUNTER = re.compile(
    rf"^\s*{VALUE}\s+(?:(?P<unit>msec|ns|Joules|MiB|GiB|KiB|Bytes|[MG]B)\s+)?(?P<event>[A-Za-z_][\w./:=,@-]*)"
    r"(?: \((?P<behind>msec)\))?"  # where old versions have the unit
    r"\s*(?:#.*?)?(?:\(\s*(?P<share>\d+[.,]\d+)\s*%\s*\))?\s*$"
)
TIME = re.compile(rf"^\s*{VALUE}\s+(?:\+-\s+\S+\s+)?seconds (?P<event>time elapsed|user|sys)\b")
WHOLE = ("", "ns", "Bytes")  # units of counts: no decimals
SPREAD = re.compile(r"\(\s*\+-\s*[\d.,]+\s*%\s*\)")  # of -r N: behind the means


def recognises(path: Path, head: bytes) -> bool:
    return TITLE.encode() in head[:4096] and b"\0" not in head[:4096]


def read(path: Path) -> Events:
    events, left_out = Events("perf stat text"), 0
    found: dict[str, tuple[float, str]] = {}
    shared: set[str] = set()
    for line in read_text(path).splitlines():
        plain = SPREAD.sub("", line).split(" +- ")[0] if TIME.match(line) is None else line
        if match := TIME.match(line):
            found[match["event"]] = (_number(match["value"], decimals=True), "s")
        elif match := COUNTER.match(plain):
            if match["value"] in MISSING:
                events.unknown[match["event"]] = MISSING[match["value"]]
                continue
            unit = match["unit"] or match["behind"] or ""
            value = _number(match["value"], decimals=unit not in WHOLE)
            found[match["event"]] = (found.get(match["event"], (0.0, ""))[0] + value, unit)
            if match["share"] and float(match["share"].replace(",", ".")) < 99.5:
                shared.add(match["event"])
        elif line.strip() and TITLE not in line and not line.startswith("#") and not _is_remark(line):
            left_out += 1
    if not found and not events.unknown:
        raise DocumentError(f"{path}: the title of perf stat, but no counter under it")
    events.totals = [Total((event,), {"value": value}) for event, (value, _) in found.items()]
    events.about["units"] = {event: unit for event, (_, unit) in found.items() if unit}
    return with_remarks(events, shared, left_out)


def _is_remark(line: str) -> bool:
    """A second remark of a counter on a line of its own (`#  0.25  stalled cycles per insn`), or what perf advises."""
    return line.strip().startswith(("#", "Some events", "echo ", "perf stat", "Try ", "TopdownL"))


def _number(text: str, decimals: bool) -> float:
    last = max(text.rfind("."), text.rfind(","))
    if not decimals or last < 0:
        return float(re.sub(r"\D", "", text))
    return float(f"{re.sub(r'[^0-9]', '', text[:last]) or '0'}.{re.sub(r'[^0-9]', '', text[last + 1 :])}")
