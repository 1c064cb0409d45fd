"""Two captures side by side: which kernels or operators went, came, changed. Pure: portions in, rows out.

Rows are joined by identity: first by the whole of it (kind, name, template, grid, block), then what is left by kind and
name alone, largest with largest, because a new build or another launch shape of a kernel is still that kernel. Last are
kernels of which one side lost its namespace, as ncu shortens names: they are joined by the last part of the name. Every
portion stands in exactly one row, so the times of the rows add up to those of the captures.

Samples without a time are compared by their share of all samples: how many there are depends on how long was recorded.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from perfproof.core.profile_record import Difference, Portion
from perfproof.profile.kernel_identity import has_namespace, last_part, shortened, template_spelling

Key = Callable[[Portion], tuple[str, ...]]
NOISE = 0.05  # a smaller change of time is not one: a profile is one run, without an interval
SAMPLED = ("frame", "function")
SCATTER = 2.0  # standard errors: samples that differ less do so by chance


def diff(before: Sequence[Portion], after: Sequence[Portion], noise: float = NOISE) -> list[Difference]:
    """The rows that matter most first: by how much time they add or take away."""
    old, new = _with_shares(before), _with_shares(after)
    rows = _joined(old, new, lambda one: (one.kind, one.name, *_shape(one)), noise)
    rows += _joined(old, new, lambda one: (one.kind, one.name), noise)
    rows += _joined_short(old, new, noise)
    rows += [Difference(change="gone", kind=one.kind, name=one.name, before=one) for one in old]
    rows += [Difference(change="added", kind=one.kind, name=one.name, after=one) for one in new]
    return sorted(rows, key=lambda row: (-abs(moved(row)), -abs(_moved_share(row)), row.change == "same", row.name))


def moved(row: Difference) -> float:
    """Seconds that it takes more (or, below zero, less) than before."""
    return _seconds(row.after) - _seconds(row.before)


def _moved_share(row: Difference) -> float:
    before, after = (one.share or 0.0 if one else 0.0 for one in (row.before, row.after))
    return after - before


def _with_shares(capture: Sequence[Portion]) -> list[Portion]:
    """Frames without a time get their share of all samples."""
    samples = sum(one.launches for one in capture if one.kind == "frame")
    return [
        one.model_copy(update={"share": one.launches / samples})
        if one.kind == "frame" and one.seconds is None and one.share is None and samples
        else one
        for one in capture
    ]


def _seconds(portion: Portion | None) -> float:
    return portion.seconds or 0.0 if portion else 0.0


def _size(one: Portion) -> tuple[Any, ...]:
    """The order in which those of one name are joined: by time, and always the same."""
    return _seconds(one), one.launches, one.template, one.grid, one.block, sorted(one.counters.items())


def _joined(old: list[Portion], new: list[Portion], key: Key, noise: float) -> list[Difference]:
    """Pairs of the same key, taken out of both lists."""
    waiting: dict[tuple[str, ...], list[Portion]] = defaultdict(list)
    for one in sorted(new, key=_size):
        waiting[key(one)].append(one)
    rows, left = [], []
    for one in sorted(old, key=_size, reverse=True):
        if waiting[key(one)]:
            rows.append(_row(one, waiting[key(one)].pop(), noise))
        else:
            left.append(one)
    old[:], new[:] = left, [one for group in waiting.values() for one in group]
    return rows


def _joined_short(old: list[Portion], new: list[Portion], noise: float) -> list[Difference]:
    """Kernels of which one side has a namespace and the other none: by the whole of it, then by the name alone."""
    rows = []
    whole: Key = lambda one: (last_part(one.name), *_shape(one, short=True))  # noqa: E731
    for key in (whole, lambda one: (last_part(one.name),)):
        for named in (True, False):
            mine = [one for one in old if one.kind == "kernel" and has_namespace(one.name) is named]
            theirs = [one for one in new if one.kind == "kernel" and has_namespace(one.name) is not named]
            others = [one for one in old if one not in mine], [one for one in new if one not in theirs]
            rows += _joined(mine, theirs, key, noise)
            old[:], new[:] = others[0] + mine, others[1] + theirs
    return rows


def _shape(one: Portion, short: bool = False) -> tuple[str, str, str]:
    template = template_spelling(one.template)
    return shortened(template) if short else template, one.grid, one.block


def _row(before: Portion, after: Portion, noise: float) -> Difference:
    short = has_namespace(before.name) != has_namespace(after.name)
    pairs = zip(("template", "grid", "block"), _shape(before, short), _shape(after, short), strict=True)
    differs = [name for name, mine, other in pairs if mine != other]
    sampled = before.kind in SAMPLED
    if before.launches != after.launches and not sampled:  # samples depend on how long was looked
        differs.append("launches")
    slower = _differs(before, after, noise)
    counters = sorted(
        name
        for name in before.counters.keys() & after.counters.keys()
        if abs(before.counters[name] - after.counters[name])
        > noise * max(abs(before.counters[name]), abs(after.counters[name]))
    )
    changed = bool(differs or slower or counters)
    quantity = "share" if sampled and before.seconds is None else "time"
    what = ", ".join([*differs, *([quantity] if slower else []), *counters])
    change = "changed" if changed else "same"
    return Difference(change=change, kind=before.kind, name=before.name, what=what, before=before, after=after)


def _differs(before: Portion, after: Portion, noise: float) -> bool:
    """Whether the time differs by more than the noise; the share of samples also by more than samples scatter."""
    if before.kind not in SAMPLED:
        return abs(_seconds(after) - _seconds(before)) > noise * max(_seconds(before), _seconds(after))
    timed = before.seconds is not None and after.seconds is not None
    mine, other = (_seconds(one) if timed else one.share or 0.0 for one in (before, after))
    scatter = math.hypot(*(size / math.sqrt(max(one.launches, 1.0)) for size, one in ((mine, before), (other, after))))
    return abs(other - mine) > max(noise * max(mine, other), SCATTER * scatter)
