"""Put together what to collect: a chapter, group or preset, what tags add, what the command line adds and drops."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.profile.manifest.counters import counters
from perfproof.profile.manifest.names import ncu_own, resolve, split
from perfproof.profile.manifest.roles import Wish, groups, metrics_of, wishes

FILE = Path(__file__).parent / "passes.json"
SEEN_ON = ("GH100",)  # where the passes that ncu made were held against those that are announced


@dataclass(frozen=True)
class Selection:
    """What ncu and nsys are asked for, and what it costs."""

    name: str
    chip: str
    metrics: tuple[str, ...]
    least_passes: int  # replays of every kernel; equal to most_passes where they are known
    most_passes: int
    nsys: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passes(self) -> str:
        low, high = self.least_passes, self.most_passes
        return str(low) if low == high else f"{low} to {high}"


def select(
    name: str, chip: str, tags: Sequence[str] = (), add: Sequence[str] = (), drop: Sequence[str] = ()
) -> Selection:
    """Chapter, group or preset; then tags; then `add` (metrics, groups, roles); `drop` has the last word."""
    wish = find(name)
    parts = [wish, *(_tag(tag) for tag in (*wish.tags, *tags))]
    notes = [wish.note] if wish.note else []
    references = _once(reference for part in parts for reference in part.metrics)
    metrics = metrics_of(references, chip)
    added, said = _read(add, chip)
    dropped, said_dropped = _read(drop, chip)
    wanted = [metric for metric in _once([*metrics, *added]) if metric not in dropped]
    absent = _not_there([name for name in references if name in groups()], chip)
    in_vain = [name for name in drop if not {*metrics, *added} & {*_read([name], chip)[0]}]
    notes += [*said, *said_dropped, *absent, *(f"{name} was not there to be left out" for name in in_vain)]
    low, high = made(*_passes(wanted, chip), chip)
    return Selection(
        wish.name,
        chip,
        tuple(wanted),
        low,
        high,
        nsys=tuple(_once(trace for part in parts for trace in part.nsys)),
        options=tuple(_once(option for part in parts for option in part.options)),
        notes=tuple(notes),
    )


def find(name: str) -> Wish:
    """A chapter (ch07, 7, ch07_memory_access), a preset (quick) or a group (COAL)."""
    short = name.partition("_")[0].lower()
    short = f"ch{int(short.removeprefix('ch')):02}" if short.removeprefix("ch").isdecimal() else short
    for kind, wanted in (("chapters", short), ("presets", name.lower())):
        if wanted in wishes(kind):
            return wishes(kind)[wanted]
    if name.upper() in groups():
        return Wish(name.upper(), groups()[name.upper()].about, (name.upper(),))
    known = [*wishes("chapters"), *wishes("presets"), *groups()]
    near = get_close_matches(name, known, n=3, cutoff=0.6)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(known)}"
    raise NothingMatched(f"there is no chapter, preset or group {name!r}: {hint}")


def _tag(name: str) -> Wish:
    if name not in wishes("tags"):
        raise UsageError(f"--tag {name!r} is unknown: {', '.join(wishes('tags'))}")
    return wishes("tags")[name]


def _read(names: Iterable[str], chip: str) -> tuple[list[str], list[str]]:
    """Metrics, groups and roles of the command line as metrics, and what had to be said about them."""
    metrics, notes = [], []
    for name in names:
        group, _, role = name.partition(".")
        if group in groups():
            if role and role not in groups()[group].roles:
                raise UsageError(f"{name}: {group} has {', '.join(groups()[group].roles)}")
            metrics += metrics_of([name], chip)
            notes += _not_there([name], chip)
            continue
        resolved = resolve(name, chip)
        metrics += resolved.metrics
        notes += [resolved.note] if resolved.note else []
    return _once(metrics), notes


def _not_there(references: Iterable[str], chip: str) -> list[str]:
    return [f"{name}: {chip} has no counters for it" for name in references if not metrics_of([name], chip)]


def made(least: int, most: int, chip: str) -> tuple[int, int]:
    """How often ncu runs a kernel whose counters the evaluator puts into so many passes: once more, if it is several.

    From what ncu 2025.3.1 printed on an H200 for five sets of counters: 1, 4, 6, 7 and 9 evaluated, 1, 5, 7, 8 and 10
    made, whether or not counters of SASS instructions were among them. Why is not documented, and on the other chips
    nobody has looked: there it is one or the other.
    """
    low = least + (least > 1 and chip in SEEN_ON)
    return low, most + (most > 1)


def _passes(wanted: Sequence[str], chip: str) -> tuple[int, int]:
    """By the evaluator: exact for what was evaluated together; otherwise from what was, as bounds.

    At least as many as any evaluated part of it, and at most as many as an evaluated whole that holds it, or as its
    parts in a row: the part that saves most, then the next, then every metric alone.
    """
    counted = frozenset(metric for metric in wanted if metric not in ncu_own())
    known = _evaluated_sets(chip)
    if counted in known:
        return known[counted], known[counted]
    inside = {metrics: passes for metrics, passes in known.items() if metrics <= counted}
    around = [passes for metrics, passes in known.items() if metrics >= counted]
    rest, in_a_row = set(counted), 0
    while rest:
        gains = {metrics: _alone(metrics & rest) - passes for metrics, passes in inside.items()}
        best = max(gains, key=lambda metrics: gains[metrics], default=frozenset())
        if gains.get(best, 0) <= 0:
            in_a_row += _alone(rest)
            break
        in_a_row += known[best]
        rest -= best
    least = max([*inside.values(), 1])
    return least, max(least, min([*around, in_a_row]))


def _alone(metrics: Iterable[str]) -> int:
    return sum(counters()[split(metric)[0]].passes for metric in metrics)


def _evaluated_sets(chip: str) -> dict[frozenset[str], int]:
    """The counters of every group, chapter and preset -> passes."""
    asked = {name: (name,) for name in groups()} | {
        wish.name: wish.metrics for kind in ("chapters", "presets") for wish in wishes(kind).values()
    }
    return {
        frozenset(metric for metric in metrics_of(references, chip) if metric not in ncu_own()): evaluated()[chip][name]
        for name, references in asked.items()
    }


@cache
def evaluated() -> dict[str, dict[str, int]]:
    """Chip -> group, chapter or preset -> passes, from NVIDIA's evaluator."""
    passes: dict[str, dict[str, int]] = json.loads(FILE.read_text())["passes"]
    return passes


def _once(things: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(things))
