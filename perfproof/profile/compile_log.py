"""What torch.compile could not do: graph breaks and recompiles, each with its reason, its line and how often.

Two kinds of text are read: what `TORCH_LOGS=graph_breaks,recompiles` prints among the program's own output, and the
file that `TORCH_TRACE=folder` writes, whose records are JSON with a payload on lines that begin with a tab.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from perfproof.core.errors import DocumentError
from perfproof.profile.compile_records import Record, Records, logged_records, traced_records

Kind = Literal["graph break", "recompile"]
WARM_MARK = "perfproof: warm-up is over"  # a program prints it to its log, flushed, once its first steps are done
HOW = "run the program with TORCH_LOGS=graph_breaks,recompiles, or with TORCH_TRACE=folder"
NO_WARM_UP = (
    f"the log does not say when warm-up ended; print {WARM_MARK!r} to stderr there, or give the time that it ended"
)


@dataclass(frozen=True)
class CompileEvent:
    """Equal ones are one: the same kind, reason and line."""

    kind: Kind
    reason: str
    where: str  # file:line, "unknown: why" where the log does not say
    function: str
    count: int
    late: int | None  # of them after warm-up; None: unknown
    compile_ids: list[str]
    hints: list[str]


@dataclass(frozen=True)
class CompileLog:
    source: str  # TORCH_LOGS or TORCH_TRACE
    events: list[CompileEvent]
    compiled: int | None  # frames compiled, again or for the first time; None: the log does not say
    unknown: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def count(self, kind: Kind, late: bool = False) -> int | None:
        """How many; with `late` those after warm-up. None where that is unknown."""
        if f"{kind}s" in self.unknown:
            return None
        found = [one.late if late else one.count for one in self.events if one.kind == kind]
        return None if any(number is None for number in found) else sum(number or 0 for number in found)


def read_compile_log(text: str, *, asked: bool = False, warm_at: datetime | None = None) -> CompileLog:
    """`asked` says that this text is all that a program wrote under TORCH_LOGS=graph_breaks,recompiles: then none means
    none. `warm_at` is the local time at which warm-up ended, for logs without the mark."""
    traced = traced_records(text)
    if traced.lines:
        return _log("TORCH_TRACE", traced, traced.compiled, {}, warm_at)
    logged = logged_records(text, WARM_MARK)
    if not logged.lines and not asked:
        raise DocumentError(f"no log of torch.compile: no line is of the form that torch writes; {HOW}")
    return _log("TORCH_LOGS", logged, None, {} if asked else _absent(logged.tags), warm_at)


def _absent(tags: set[str]) -> dict[str, str]:
    said = {"graph_breaks": "graph breaks", "recompiles": "recompiles"}
    why = "the log has no line of them: none happened, or TORCH_LOGS did not ask for them"
    return {what: why for tag, what in said.items() if tag not in tags}


def _log(
    source: str, found: Records, compiled: int | None, unknown: dict[str, str], warm_at: datetime | None
) -> CompileLog:
    own = [_judged(record, warm_at) for record in found.records]
    if any(record.late is None for record in own):
        unknown = {**unknown, "after warm-up": NO_WARM_UP}
    return CompileLog(source, _counted(own), compiled, unknown, found.warnings)


def _judged(record: Record, warm_at: datetime | None) -> Record:
    if record.late is not None or warm_at is None:
        return record
    return record.at(record.time >= warm_at.replace(year=record.time.year, tzinfo=None))  # a log has no year


def _counted(records: Iterable[Record]) -> list[CompileEvent]:
    groups: dict[tuple[Kind, str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.kind, record.reason, record.where), []).append(record)
    events = [
        CompileEvent(
            kind,
            reason,
            where,
            own[0].function,
            count=len(own),
            late=None if any(one.late is None for one in own) else sum(bool(one.late) for one in own),
            compile_ids=list(dict.fromkeys(one.compile_id for one in own if one.compile_id)),
            hints=own[0].hints,
        )
        for (kind, reason, where), own in groups.items()
    ]
    return sorted(events, key=lambda one: (-(one.late or 0), -one.count))
