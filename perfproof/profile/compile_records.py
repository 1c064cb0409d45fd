"""Single messages of torch's compiler, from lines of its log or records of its trace."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

LINE = re.compile(
    r"(?:\[rank\d+\]:\s*)?[VIWEC](?P<month>\d\d)(?P<day>\d\d) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    r"\.(?P<part>\d{1,6}) (?:\d+ )?(?P<place>\S+:\d+)\] ?(?P<rest>.*)"
)
LABELS = re.compile(
    r"(?:\[(?P<id>[\d/_]+|__?[\d/]+)\] ?)?(?:\[(?P<rank>rank\d+)\]:? ?)?\[__(?P<tag>\w+)\] ?(?P<body>.*)"
)
TAGS = {"graph_breaks", "recompiles", "recompiles_verbose"}
BREAK = re.compile(r"Graph break\b.*? in user code at (?P<where>.+:\d+)\s*$")
AGAIN = re.compile(r"Recompiling function (?P<function>.+) in (?P<where>.+:\d+)\s*$")
GUARD = re.compile(r"\s*-?\s*(?P<id>\d+/\d+): (?P<what>.+)")
FRAME = re.compile(r'\s*File ".+", line \d+, in (?P<function>.+)')
LONG_NUMBER = re.compile(r"\b\d{9,}\b")  # addresses of types: another one in every process
YEAR = 2000  # the lines have none; a leap year holds every day
LONGEST = 500
NO_REASON = "unknown: the log gives no reason"


@dataclass(frozen=True)
class Record:
    kind: Literal["graph break", "recompile"]
    reason: str
    where: str
    function: str
    time: datetime
    compile_id: str
    late: bool | None = None
    hints: list[str] = field(default_factory=list)

    def at(self, late: bool) -> "Record":
        return replace(self, late=late)


@dataclass
class Records:
    records: list[Record] = field(default_factory=list)
    lines: int = 0  # of torch's own form
    compiled: int = 0
    tags: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)


@dataclass
class _Message:
    """Lines of one tag that belong together."""

    time: datetime
    compile_id: str
    late: bool
    lines: list[str]


def logged_records(text: str, warm_mark: str) -> Records:
    """Of a text in which torch's lines stand between others."""
    found = Records()
    marked = warm_mark in text
    for message in _messages(text, warm_mark, found):
        record = parsed(message.lines, message.time, message.compile_id)
        if record is None:
            found.warnings.append(f"a message could not be read and was left out: {message.lines[0][:80]!r}")
        else:
            found.records.append(record.at(message.late) if marked else record)
    return found


def _messages(text: str, warm_mark: str, found: Records) -> Iterator[_Message]:
    current: _Message | None = None
    late = False
    for line in text.splitlines():
        late = late or warm_mark in line
        head = LINE.match(line)
        labels = LABELS.match(head["rest"]) if head else None
        found.lines += head is not None
        if head is None or labels is None or labels["tag"] not in TAGS:
            continue
        time, body = _time(head), labels["body"]
        found.tags.add(labels["tag"].removesuffix("_verbose"))
        if time is None:
            continue
        if BREAK.match(body) or AGAIN.match(body):
            if current is not None:
                yield current
            current = _Message(time, labels["id"] or "", late, [body])
        elif current is not None and current.compile_id == (labels["id"] or ""):
            current.lines.append(body)
    if current is not None:
        yield current


def parsed(lines: list[str], time: datetime, compile_id: str) -> Record | None:
    """A message as a record; None where it is neither of the two."""
    if found := BREAK.match(lines[0]):
        return Record("graph break", _break_reason(lines), found["where"], _user_function(lines), time, compile_id,
                      hints=_hints(lines))  # fmt: skip
    if found := AGAIN.match(lines[0]):
        reason = _guards(lines[1:])
        return Record("recompile", reason, found["where"], found["function"], time, compile_id)
    return None


def traced_records(text: str) -> Records:
    """Of the file that TORCH_TRACE writes. What a recompiled function is called stands in a record of its own."""
    found = Records()
    names: dict[int, str] = {}
    started: dict[str, tuple[str, str]] = {}
    for time, record, payload in _traced(text, found):
        if isinstance(record.get("str"), list) and len(record["str"]) == 2:
            names[record["str"][1]] = str(record["str"][0])
        compile_id = f"{record.get('frame_id', '?')}/{record.get('frame_compile_id', '?')}"
        artifact = record.get("artifact")
        name = artifact.get("name") if isinstance(artifact, dict) else None
        if "dynamo_start" in record:
            found.compiled += compile_id not in started
            started[compile_id] = _innermost(record["dynamo_start"], names)
        elif name == "dynamo_graph_break_reason":
            broken = parsed(payload or [""], time, compile_id)
            if broken is None:
                found.warnings.append("a graph break without its text was left out: the file may be cut off")
            else:
                found.records.append(broken)
        elif name == "recompile_reasons":
            found.records.append(Record("recompile", _guards(_listed(payload)), "", "", time, compile_id))
    nowhere = ("unknown: the trace ends before it says", "unknown")
    found.records = [
        one if one.where else replace(one, where=started.get(one.compile_id, nowhere)[0],
                                      function=started.get(one.compile_id, nowhere)[1])
        for one in found.records
    ]  # fmt: skip
    return found


def _traced(text: str, found: Records) -> Iterator[tuple[datetime, dict[str, Any], list[str]]]:
    """Every record with its payload."""
    lines = text.splitlines()
    damaged = 0
    place = 0
    while place < len(lines):
        head = LINE.match(lines[place])
        place += 1
        if head is None or not head["rest"].startswith("{"):
            continue
        begin = place
        while place < len(lines) and lines[place].startswith("\t"):
            place += 1
        record, time = _json(head["rest"]), _time(head)
        if not isinstance(record, dict) or time is None:
            damaged += 1
            continue
        found.lines += 1
        yield time, record, [line[1:] for line in lines[begin:place]]
    if damaged and found.lines:
        found.warnings.append(f"{damaged} records could not be read and were left out; the file may be cut off")


def _break_reason(lines: list[str]) -> str:
    """torch 2.5 writes it behind `Reason:`; later ones a headline of the kind, then an explanation."""
    told = [line.strip() for line in lines]
    after = next((at for at, line in enumerate(told) if re.match(r"(?:Graph Break )?Reason:", line)), None)
    if after is None:
        return NO_REASON
    explained = next((line.partition(":")[2].strip() for line in told[after:] if line.startswith("Explanation:")), "")
    headline = told[after].partition("Reason:")[2].strip()
    if explained:
        kind = next((line for line in told[after + 1 :] if line), headline)
        return _short(f"{kind}: {explained}" if not kind.startswith("Explanation:") else explained)
    return _short(headline or next((line for line in told[after + 1 :] if line), NO_REASON))


def _guards(lines: Iterable[str]) -> str:
    """The first guard that failed is that of the newest compiled code; torch's own comment behind it is cut."""
    for line in lines:
        if found := GUARD.match(line):
            return _short(LONG_NUMBER.sub("…", found["what"].partition("  # ")[0].strip()))
    return NO_REASON


def _user_function(lines: list[str]) -> str:
    frames = [found["function"] for line in lines if (found := FRAME.match(line))]
    end = next((at for at, line in enumerate(lines) if line.startswith("Traceback")), len(lines))
    user = [found["function"] for line in lines[:end] if (found := FRAME.match(line))]
    return (user or frames or ["unknown"])[-1]


def _hints(lines: list[str]) -> list[str]:
    hints = (_short(line.partition(":")[2]) for line in lines if line.strip().startswith("Hint:"))
    return list(dict.fromkeys(hints))  # a traceback repeats them


def _listed(payload: list[str]) -> list[str]:
    """One reason is written as text, several as a list of JSON."""
    content = _json("\n".join(payload))
    if isinstance(content, list):
        return [str(one) for one in content]
    return content.splitlines() if isinstance(content, str) else payload


def _innermost(start: Any, names: dict[int, str]) -> tuple[str, str]:
    stack = start.get("stack") if isinstance(start, dict) else None
    frame = stack[-1] if isinstance(stack, list) and stack and isinstance(stack[-1], dict) else {}
    if not frame:
        return "unknown: the trace has no stack of it", "unknown"
    file = frame.get("filename")
    name = names.get(file, "?") if isinstance(file, int) else str(file)
    return f"{name}:{frame.get('line', '?')}", str(frame.get("name", "unknown"))


def _time(head: re.Match[str]) -> datetime | None:
    try:
        parts = (int(head[name]) for name in ("month", "day", "hour", "minute", "second"))
        return datetime(YEAR, *parts, int(head["part"].ljust(6, "0")))  # type: ignore[arg-type,misc]
    except ValueError:
        return None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
