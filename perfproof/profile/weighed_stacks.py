"""Stacks with weights: taken out of any profile, written as a speedscope file or as collapsed lines.

A sampled profile has its stacks as totals. A trace has rows: what is open on a thread is its stack, and a row weighs
the time in which nothing inside it ran.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from perfproof.core.events import Events, Kind, Total
from perfproof.profile.sampled_stacks import without_marks
from perfproof.profile.steps import is_step, unnumbered

Path = tuple[str, ...]  # from the outermost frame to the innermost
WEIGHTS = ("time_ns", "samples", "weight")  # of a total: the first that all of them have
NESTED = (Kind.RANGE, Kind.PYTHON, Kind.OPERATOR, Kind.RUNTIME)
SCHEMA = "https://www.speedscope.app/file-format-schema.json"  # the format's own name, not an address that is read
UNNAMED = "unnamed"
DEEPEST = 1000  # frames of a path of rows: each row has its own path, so that memory grows with rows times depth
DEEPER = f"more than {DEEPEST:,} frames deep"


@dataclass(frozen=True)
class Stacks:
    weights: dict[Path, float] = field(default_factory=dict)
    unit: str = "samples"  # samples, weight or time_ns

    @property
    def total(self) -> float:
        return sum(self.weights.values())


def stacks_of(events: Events) -> Stacks:
    """Of a profile; empty if it has none. What our sampler notes among the frames is for the diagnosis: left out."""
    sampled = [total for total in events.totals if total.path and not set(WEIGHTS).isdisjoint(total.values)]
    return _of_totals(sampled) if sampled else Stacks(_positive(_of_rows(events)), "time_ns")


def speedscope_file(stacks: Stacks, name: str) -> str:
    """The text of a file that speedscope and our own reader open."""
    frames: dict[str, int] = {}
    samples = [[frames.setdefault(frame, len(frames)) for frame in path] for path in stacks.weights]
    profile = {
        "type": "sampled",
        "name": name,
        "unit": "nanoseconds" if stacks.unit == "time_ns" else "none",
        "startValue": 0,
        "endValue": _number(stacks.total),
        "samples": samples,
        "weights": [_number(weight) for weight in stacks.weights.values()],
    }
    shared = {"frames": [{"name": frame} for frame in frames]}
    content = {"$schema": SCHEMA, "name": name, "exporter": "perfproof", "shared": shared, "profiles": [profile]}
    return json.dumps(content, separators=(",", ":")) + "\n"


def collapsed_file(stacks: Stacks) -> str:
    """`outer;inner 12`, a line for each stack: whole samples, or whole nanoseconds."""
    lines = [f"{';'.join(map(_frame, path))} {round(weight)}" for path, weight in stacks.weights.items()]
    return "".join(f"{line}\n" for line in sorted(lines))


def _of_totals(sampled: list[Total]) -> Stacks:
    what = next((name for name in WEIGHTS if all(name in total.values for total in sampled)), "samples")
    weights: Counter[Path] = Counter()
    for total in sampled:
        weights[without_marks(total.path)] += total.values.get(what, 0.0)  # type: ignore[assignment]
    return Stacks(_positive(weights), what)


def _of_rows(events: Events) -> Counter[Path]:
    lanes: dict[tuple[int, int, int], list[int]] = {}
    for row in events.where(*NESTED):
        lanes.setdefault((events.rank[row], events.process[row], events.thread[row]), []).append(row)
    weights: Counter[Path] = Counter()
    for rows in lanes.values():
        _walk(events, sorted(rows, key=lambda row: (events.start_ns[row], -events.end_ns[row])), weights)
    return weights


def _walk(events: Events, rows: Iterable[int], weights: Counter[Path]) -> None:
    """Rows by their start, outer before inner. One that ends after its parent is cut there: no time counts twice.

    What lies deeper than DEEPEST is one frame that says so, with all its time.
    """
    begun: list[tuple[Path, int]] = []  # path, end
    for row in rows:
        start, end = events.start_ns[row], events.end_ns[row]
        while begun and begun[-1][1] <= start:
            begun.pop()
        parent: Path = ()
        if begun:
            parent, parent_end = begun[-1]
            end = min(end, parent_end)
            weights[parent] -= end - start
        path = _inside(parent, _name(events, row))
        weights[path] += end - start
        begun.append((path, end))


def _inside(parent: Path, name: str) -> Path:
    if len(parent) > DEEPEST:
        return parent
    return (*parent, name if len(parent) < DEEPEST else DEEPER)


def _name(events: Events, row: int) -> str:
    """Steps are one frame, not one for each number."""
    name = events.name(row)
    return unnumbered(name) if events.kind[row] == Kind.RANGE and is_step(name) else name


def _positive(weights: Counter[Path]) -> dict[Path, float]:
    return {path: float(weight) for path, weight in weights.items() if weight > 0}


def _frame(name: str) -> str:
    return " ".join(name.replace(";", ",").split()) or UNNAMED


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value
