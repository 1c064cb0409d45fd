"""The figures of one target: samples become boxes and tracks, launches a forest, ceilings bars."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from perfproof.core import units
from perfproof.core.documents import CORRECTED, RatioResult, TargetResult
from perfproof.core.ratio_figures import has_figures, ratio_figures, seconds_of
from perfproof.report.figures.bars import Share, speed_of_light
from perfproof.report.figures.forest import Estimate, forest, shows_one
from perfproof.report.figures.order import Point, Track, order
from perfproof.report.figures.spread import Box, Limits, Panel, spread
from perfproof.report.figures.times import Side, times
from perfproof.report.html.launches import Launches, launches_of
from perfproof.report.html.samples import Process, Reading, Samples, quantile, thinned
from perfproof.report.judged_quantity import TIME, name_of, quantity_of
from perfproof.report.labels import heads, label_of, style_of
from perfproof.report.rows import quantity, share_of

MOST_SIDES = 4
TREND_POINTS = 30
BEYOND = 0.01  # of the samples lie beyond the axis of the order plot; more where the tail is long:
LONGEST_TAIL = 8.0  # typical distances from the median
LEAST_REACH = 0.01


@dataclass(frozen=True)
class Detail:
    """How much is drawn: a page of many targets draws less of each."""

    points: int  # of a side's samples in their order
    boxes: int  # more processes than this are drawn by launch


@dataclass(frozen=True)
class Figure:
    svg: str
    caption: str
    head: str = ""


def times_figure(ident: str, target: TargetResult, readings: Sequence[Reading]) -> Figure | None:
    """The figures of both sides on one axis from zero; with several variants the baseline beside the first."""
    sides: list[Side] = []
    first = next(iter(target.ratios.values()), None)
    if first is None:
        return None
    own = [
        (variant, one) for variant, one in target.ratios.items() if (one.claim, one.clock) == (first.claim, first.clock)
    ]
    sampled = bool(target.program) or (first.claim == "time" and first.clock in ("call", "wall"))
    for variant, judged in own:
        before, after = ratio_figures(target, variant, judged)
        pairs = [("baseline", before)] if not sides else []
        for side, value in [*pairs, (variant, after)]:
            if value is not None and math.isfinite(value) and value > 0:
                low, high = _reach(readings, side) if sampled else (None, None)
                sides.append(Side(label_of(target, side), style_of(side), value, low, high))
    if len(sides) < 2:
        return None
    word = quantity_of(first)
    axis = f"{word} per call" if first.claim in ("time", "energy") and not target.program else word
    head = axis[:1].upper() + axis[1:]
    svg = times(f"{ident}-a", f"{head} of {target.target}", sides, axis, lambda value: quantity(value, first))
    more = ""
    if any(side.low for side in sides):
        more += _what_bars_are(first) if has_figures(first) and first.claim != "memory" else ""
        more += " Line: from 5 % to 95 % of the samples."
    more += " The baseline is the one beside the first variant." if len(own) > 1 else ""
    return Figure(svg, f"{'Longer' if _is_gain(target, own) else 'Shorter'} is better.{more}", head)


def _what_bars_are(judged: RatioResult) -> str:
    """Why a bar does not end at the median of the samples."""
    corrected = ", less what switching between the sides adds" if judged.rung in CORRECTED.values() else ""
    return f" Bar: the mean behind the ratio{corrected}, not a median."


def _is_gain(target: TargetResult, own: Sequence[tuple[str, RatioResult]]) -> bool:
    """Is more of it better? The ratio of such a metric is turned round: above 1 although the figure grew."""
    for variant, judged in own:
        before, after = ratio_figures(target, variant, judged)
        if before and after and judged.ratio:
            return (before - after) * (judged.ratio - 1) < 0
    return False


def _reach(readings: Sequence[Reading], side: str) -> tuple[float | None, float | None]:
    own = sorted(one.value for one in readings if one.side == side and one.valid)
    return (quantile(own, 0.05), quantile(own, 0.95)) if len(own) > 1 else (None, None)


def forests(ident: str, target: TargetResult, samples: Samples) -> list[Figure]:
    """One for each variant that has a ratio of several launches."""
    figures = []
    for number, (variant, judged) in enumerate(target.ratios.items()):
        if judged.ratio is None or not judged.units:
            continue
        found = launches_of(judged, variant, samples.readings)
        whole = Estimate("in all", judged.ratio, judged.low, judged.high)
        unit = found.estimates[0].label.split()[0]
        of = f", {name_of(judged)}" if name_of(judged) else ""
        title = f"Ratio of every {unit} of {target.target}, {variant}{of}"
        name = f"{variant}. " if len(target.ratios) > 1 else ""
        svg = forest(f"{ident}-f{number}", title, found.estimates, whole, judged.delta, heads([target]))
        head = f"Ratio of every {unit}{of}"
        figures.append(Figure(svg, f"{name}{_forest_caption(judged, found, whole)}", head))
    return figures


def _forest_caption(judged: RatioResult, found: Launches, whole: Estimate) -> str:
    parts = [f"Diamond: the ratio in all with its {100 * judged.level:.3g} % interval."]
    if judged.low is None:
        parts = ["Large dot: the ratio in all, without an interval."]
    if judged.delta and shows_one([*found.estimates, whole]):
        parts.append(f"Band: differences below {units.percent(judged.delta)}, which do not matter.")
    if judged.launches == 1 and judged.rung != "programs":
        parts.append("A couple is two processes that create the sides in opposite order.")
    if found.recomputed:
        parts.append("The raw samples give these ratios again.")
        unit = found.estimates[0].label.split()[0]
        parts.append(f"The bar of a {unit} shows the noise inside it only.")
        if any(one.low is None for one in found.estimates):
            parts.append(f"A {unit} without a bar has too few undisturbed samples for one.")
    if found.differ:
        parts.append("The raw samples do not give these ratios again.")
    return " ".join(parts)


def spread_figure(ident: str, target: TargetResult, readings: Sequence[Reading], most: int) -> Figure | None:
    """Boxes for each process and side, for each launch where there are more than `most`; None without samples."""
    undisturbed = _undisturbed(readings)
    valid = [one for one in readings if one.valid or one.side not in undisturbed]
    processes = list(dict.fromkeys(one.process for one in valid))
    by_launch = len(processes) > most
    panels = []
    for side in _sides(valid):
        own: dict[Process, list[float]] = {process[:1] if by_launch else process: [] for process in processes}
        for one in valid:
            if one.side == side:
                own[one.process[:1] if by_launch else one.process].append(one.value)
        middle = median(value for group in own.values() for value in group)
        boxes = [_box(str(at + 1), group, middle) if group else None for at, group in enumerate(own.values())]
        panels.append(Panel(_head(target, side, middle), style_of(side), boxes))
    if not panels:
        return None
    what = "blocks of runs" if len(processes[0]) == 1 else "launches" if by_launch else "processes"
    title = f"Spread of the samples of {target.target}"
    caption = "Box: the middle half of the samples; line: 5 % to 95 %, cut at the axis. In per cent of the median."
    if any(box is None for panel in panels for box in panel.boxes):
        caption += " Without a box: all samples there were disturbed."
    if disturbed := [label_of(target, side) for side in _sides(valid) if side not in undisturbed]:
        caption += f" All samples of {' and '.join(disturbed)} were disturbed; they are shown."
    svg = spread(f"{ident}-s", title, panels, f"{what}, in the order in which they ran")
    return Figure(svg, caption, f"Spread of the samples{_sampled(target)}")


def _box(label: str, own: Sequence[float], side_median: float) -> Box:
    shares = sorted(value / side_median - 1 for value in own)
    low, lower, middle, upper, high = (quantile(shares, at) for at in (0.05, 0.25, 0.5, 0.75, 0.95))
    return Box(label, low, lower, middle, upper, high, len(shares))


def order_figure(ident: str, target: TargetResult, readings: Sequence[Reading], most_points: int) -> Figure | None:
    """Every sample in its order, or every k-th where there are more than `most_points` of a side."""
    sides = _sides(readings)
    if not sides:
        return None
    middles = {side: _middle([one for one in readings if one.side == side]) for side in sides}
    placed = [(at, one, one.value / middles[one.side] - 1) for at, one in enumerate(readings) if one.side in middles]
    undisturbed = _undisturbed(readings)
    limits = _limits([share for _, one, share in placed if one.valid or one.side not in undisturbed])
    tracks = []
    for side in sides:
        valid = [(at, share) for at, one, share in placed if one.side == side and one.valid]
        dropped = [(at, share) for at, one, share in placed if one.side == side and not one.valid]
        points = thinned(valid, most_points)
        head = _head(target, side, middles[side])
        tracks.append(Track(head, style_of(side), points, _trend(valid), thinned(dropped, most_points // 2)))
    starts = [at + 1 for at, (a, b) in enumerate(pairwise(readings)) if a.process[:1] != b.process[:1]]
    svg = order(f"{ident}-o", f"Samples of {target.target} in their order", tracks, len(readings), starts, limits)
    drawn = len(thinned(range(len(placed)), most_points * len(sides)))
    return Figure(svg, _order_caption(placed, drawn, limits, starts), f"Samples in their order{_sampled(target)}")


def _limits(shares: Sequence[float]) -> Limits:
    """An axis that holds nearly all: each way to the last hundredth, but not along a tail much longer than usual."""
    ordered = sorted(shares)
    if not ordered:
        return -LEAST_REACH, LEAST_REACH
    longest = LONGEST_TAIL * quantile(sorted(map(abs, ordered)), 0.5)
    below, above = (min(1.1 * abs(quantile(ordered, at)), longest) for at in (BEYOND, 1 - BEYOND))
    below, above = max(below, LEAST_REACH), max(above, LEAST_REACH)
    return -max(below, above / 4), max(above, below / 4)


def _order_caption(
    placed: Sequence[tuple[int, Reading, float]], drawn: int, limits: Limits, starts: Sequence[int]
) -> str:
    every = math.ceil(len(placed) / max(1, drawn))
    beyond = sum(not limits[0] <= share <= limits[1] for _, _, share in placed)
    dropped = sum(not one.valid for _, one, _ in placed)
    parts = [f"{len(placed):,} samples" + (f", one in {every} drawn" if every > 1 else "") + "; line: running median."]
    if starts:
        unit = "launch" if len(placed[0][1].process) == 3 else "block"
        parts.append(f"A vertical line begins another {unit}.")
    if beyond:
        parts.append(f"{beyond:,} lie beyond the axis, drawn at its edge.")
    if dropped:
        parts.append(f"{dropped:,} were left out of the ratio as disturbed: drawn in another colour.")
    return " ".join(parts)


def _trend(points: Sequence[Point]) -> list[Point]:
    """Medians of stretches of equal length."""
    length = max(8, math.ceil(len(points) / TREND_POINTS))
    stretches = [points[at : at + length] for at in range(0, len(points), length)]
    return [
        (part[len(part) // 2][0], median(share for _, share in part)) for part in stretches if len(part) * 2 >= length
    ]


def light_figure(ident: str, target: TargetResult) -> Figure | None:
    """How far each side is from the ceilings; None where no share is known."""
    shares = []
    for side, result in target.variants.items():
        light = result.light
        share = share_of(result, seconds_of(target, side))
        if light is None or share is None:
            continue
        bound = f", {light.bound} bound" if light.bound else ""
        shares.append(
            Share(
                f"{label_of(target, side)}: {units.percent(share, 0)} of {light.ceiling}{bound}", style_of(side), share
            )
        )
    if not shares:
        return None
    caption = "The time that the declared bytes and operations need at the ceilings measured here, over the time taken."
    return Figure(speed_of_light(f"{ident}-l", f"Speed of light of {target.target}", shares), caption, "Speed of light")


def _sides(readings: Sequence[Reading]) -> list[str]:
    """The baseline first, then the others as they appear."""
    found = dict.fromkeys(one.side for one in readings)
    return sorted(found, key=lambda side: side != "baseline")[:MOST_SIDES]


def _undisturbed(readings: Sequence[Reading]) -> set[str]:
    """Sides with valid samples; of the others all samples are shown."""
    return {one.side for one in readings if one.valid}


def _middle(own: Sequence[Reading]) -> float:
    """The median of the valid samples; of all where none is valid."""
    return median([one.value for one in own if one.valid] or [one.value for one in own])


def _head(target: TargetResult, side: str, middle: float) -> str:
    judged = next(iter(target.ratios.values()), None)  # none of a program that was timed alone
    shown = quantity(middle, judged) if target.program and judged else units.seconds(middle)
    return f"{label_of(target, side)}, median {shown}"


def _sampled(target: TargetResult) -> str:
    """`: CPU time` if plain time is not what was judged. Samples of a pair are times, whatever its claim is."""
    judged = next(iter(target.ratios.values()), None)
    if judged is None or not name_of(judged):
        return ""
    return f": {quantity_of(judged) if target.program or judged.claim == 'time' else TIME}"
