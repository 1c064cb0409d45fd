"""The pictures of a whole run: its sweep, its roofline, and what the machine did meanwhile."""

import math
from collections.abc import Sequence
from itertools import count as count_up
from pathlib import Path
from typing import Any

from perfproof.core.documents import Light, Run, TargetResult
from perfproof.core.durations import moment
from perfproof.core.errors import DocumentError
from perfproof.core.other_work import WORD as OTHER_WORK
from perfproof.core.other_work import is_other_work
from perfproof.core.ratio_figures import ratio_figures
from perfproof.core.units import count
from perfproof.machine.telemetry.recording import Series, Telemetry, read
from perfproof.report.figures import roofline, strips, sweep
from perfproof.report.html.figures import Figure
from perfproof.report.html.tones import tone_of
from perfproof.report.rows import quantity, ratio_text
from perfproof.report.sweep.of_command import base_value
from perfproof.report.sweep.points import base_of, combinations, points_of

READINGS = {  # what is drawn of each source, in this order
    "sm_mhz": "SM clock",
    "power_watts": "power",
    "temperature_celsius": "temperature",
    "busy_ratio": "share of time with a kernel running",
    "cpus_in_use": "CPUs in use",
    "load_1m": "load of the last minute",
    "memory_used_bytes": "memory in use",
}
MOST_STRIPS = 6
MOST_POINTS = 240  # of a strip: a reading of each stretch stays, its highest
MOST_PLACES = 24


def run_figures(run: Run, folder: Path | None) -> list[Figure]:
    found = [sweep_figure(run), roofline_figure(run)]
    return [figure for figure in found if figure]


def sweep_figure(run: Run) -> Figure | None:
    """None if the run is no sweep, or none of its points has a ratio."""
    axes = (run.options.get("sweep") or {}).get("axes")
    judged = [target for target in run.targets if _ratios(target)]
    if not isinstance(axes, dict) or not axes or not judged:
        return None
    try:
        points = points_of(run)
    except (ValueError, KeyError):  # a document whose targets are not those of its axes
        return None
    wide = {name: values for name, values in axes.items() if len(values) > 1} or axes
    target = run.options["sweep"].get("target", "")
    if len(wide) == 1:
        return _sweep_line(run, target, next(iter(wide)), points)
    return _sweep_grid(run, target, wide, points)


def _sweep_line(run: Run, target: str, axis: str, points: list[dict[str, Any]]) -> Figure:
    values = run.options["sweep"]["axes"][axis]
    if any(is_other_work(result) for result in run.targets):
        return _sweep_amounts(run, target, axis, points)
    variants: dict[str, list[sweep.SweepPoint]] = {}
    for point, result in zip(points, run.targets, strict=True):
        for variant, one in _ratios(result).items():
            assert one.ratio is not None
            place = sweep.SweepPoint(values.index(point[axis]), one.ratio, one.low, one.high)
            variants.setdefault(variant, []).append(place)
    if base := base_of(run):  # a command: the others are compared with this point
        for variant, places in variants.items():
            own = sweep.SweepPoint(values.index(base[axis]), 1.0)
            variants[variant] = sorted([*places, own], key=lambda place: place.at)
    svg = sweep.lines(
        "sweep", f"Ratio of {target} along {axis}", axis, [value_words(value) for value in values], dict(variants)
    )
    missing = sum(not _ratios(result) for result in run.targets)
    left_out = f" Not drawn, because without a ratio: {count(missing, 'point')}." if missing else ""
    return Figure(svg, f"The ratio at every value of {axis}; a bar is its interval.{left_out}", f"Sweep over {axis}")


def _sweep_amounts(run: Run, target: str, axis: str, points: list[dict[str, Any]]) -> Figure:
    """What each value takes: points that do other work have no ratio to the base that says anything."""
    values, base = run.options["sweep"]["axes"][axis], base_of(run)
    found = {values.index(base[axis]): base_value(run)}
    for point, result in zip(points, run.targets, strict=True):
        for variant in _ratios(result):
            found[values.index(point[axis])] = ratio_figures(result, variant)[1]
    judged = next(one for result in run.targets for one in _ratios(result).values())
    what = "memory" if judged.claim == "memory" else f"{judged.clock} time".replace("call ", "")
    amounts = [(at, value) for at, value in sorted(found.items()) if value is not None and value > 0]
    words = [value_words(value) for value in values]
    svg = sweep.amounts("sweep", f"{what} of {target} along {axis}", (axis, what), words, amounts)
    return Figure(svg, f"The {what} of one run at every value of {axis}.", f"Sweep over {axis}")


def _sweep_grid(run: Run, target: str, axes: dict[str, Any], points: list[dict[str, Any]]) -> Figure:
    """The first half of the axes goes down, the rest across; the first variant of each point is shown."""
    names = list(axes)
    half = (len(names) + 1) // 2
    down, across = (
        [_point_words(point) for point in combinations({name: axes[name] for name in part})]
        for part in (names[:half], names[half:])
    )
    cells = [[sweep.Cell("", "", "none") for _ in across] for _ in down]

    def cell_of(point: dict[str, Any]) -> tuple[int, int]:
        first, second = ({name: point[name] for name in part} for part in (names[:half], names[half:]))
        return down.index(_point_words(first)), across.index(_point_words(second))

    if base := base_of(run):
        row, column = cell_of(base)
        cells[row][column] = sweep.Cell("base", "", "none")
    for point, result in zip(points, run.targets, strict=True):
        row, column = cell_of(point)
        first = next(iter(_ratios(result).values()), None)
        word = first.verdict if first else result.status
        ratio, _, interval = (ratio_text(first) if first else "–").partition(" ")
        if first and is_other_work(result):
            ratio, interval, word = quantity(ratio_figures(result, "b")[1], first), "", OTHER_WORK
        cells[row][column] = sweep.Cell(ratio, word, tone_of(word)[0], interval)
    others = ""
    if any(is_other_work(result) for result in run.targets):
        others = f" Points with “{OTHER_WORK}” print something else than the base: what they take, and no ratio."
    shown = ", ".join(names[:half]), ", ".join(names[half:])
    svg = sweep.grid("sweep", f"Ratio of {target} by {', '.join(names)}", shown, down, across, cells)
    return Figure(svg, f"The ratio of every point, with its verdict.{others}", f"Sweep over {' and '.join(names)}")


def _ratios(target: TargetResult) -> dict[str, Any]:
    if target.status != "ok":
        return {}
    return {variant: one for variant, one in target.ratios.items() if one.ratio is not None and one.ratio > 0}


def _point_words(point: dict[str, Any]) -> str:
    return ", ".join(value_words(value) for value in point.values())


def value_words(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def roofline_figure(run: Run) -> Figure | None:
    """Roofs as the document says them: a side's rate over its share of the ceiling. None without ceilings."""
    roofs: dict[str, roofline.Roof] = {}
    places: list[roofline.Place] = []
    names: list[str] = []
    for target in run.targets:
        lights = [(name, side.light) for name, side in target.variants.items() if side.light]
        if target.status != "ok" or not any(_intensity(light) for _, light in lights):
            continue
        names.append(target.target)
        for name, light in lights:
            roof = _roof(light)
            roofs |= {roof.name: roof} if roof else {}
            intensity = _intensity(light)
            if intensity and light.flops_per_second:
                style = "base" if name == "baseline" else "variant"
                label = f"{target.target} {name}"
                places.append(roofline.Place(str(len(names)), label, style, intensity, light.flops_per_second))
    if not roofs or not places:
        return None
    drawn = places[:MOST_PLACES]
    svg = roofline.roofline("roofline", "Roofline of this run", list(roofs.values()), drawn)
    numbers = ", ".join(f"{at} {name}" for at, name in zip(count_up(1), names, strict=False) if _is_drawn(at, drawn))
    said = "Grey is the baseline, blue a variant; a roof is a ceiling that was measured on this machine."
    return Figure(svg, f"{said} {numbers}.", "Roofline")


def _is_drawn(at: int, places: Sequence[roofline.Place]) -> bool:
    return any(one.number == str(at) for one in places)


def _intensity(light: Light) -> float | None:
    if not light.flops_per_second or not light.bytes_per_second:
        return None
    found = light.flops_per_second / light.bytes_per_second
    return found if math.isfinite(found) and found > 0 else None


def _roof(light: Light) -> roofline.Roof | None:
    rate = light.bytes_per_second if light.bound == "memory" else light.flops_per_second
    if light.bound not in ("memory", "compute") or not rate or not light.share or not light.share > 0:
        return None
    return roofline.Roof(light.ceiling or light.bound, light.bound, rate / light.share)


def telemetry_figure(run: Run, folder: Path | None) -> tuple[Figure | None, str]:
    """The readings over the whole run, or why there are none."""
    if not run.telemetry or folder is None:
        return None, ""
    path = folder / run.telemetry
    if run.telemetry.startswith("unknown") or not path.resolve().is_relative_to(folder.resolve()):
        return None, ""
    if not path.is_file():
        return None, f"{run.telemetry} is not in the run's folder"
    try:
        telemetry = read(path)
    except DocumentError as error:
        return None, str(error).replace(str(path), run.telemetry)
    drawn = _strips(telemetry)
    if not drawn:
        return None, f"{run.telemetry} holds no readings"
    svg = strips.strips("telemetry", "Telemetry over the run", drawn, _stretches(run, telemetry))
    more = " The numbers above are the targets in their order." if len(run.targets) > 1 else ""
    return Figure(
        svg, f"Readings while the run took place, {telemetry.header.hz:g} per second at most.{more}", "Telemetry"
    ), ""


def _strips(telemetry: Telemetry) -> list[strips.Strip]:
    span = telemetry.span_ns
    gauges = telemetry.gauges(*span)
    found = []
    for source in telemetry.sources:
        for name, words in READINGS.items():
            series = gauges.get(f"{source}.{name}")
            if series is not None and len(series.values) > 1:
                label = words if source == "host" else f"{source}: {words}"
                found.append(strips.Strip(label, _unit(series.column.unit), _thinned(series, span[0])))
    return found[:MOST_STRIPS]


def _unit(unit: str) -> str:
    return "" if unit in ("CPUs", "1") else unit


def _thinned(series: Series, start_ns: int) -> list[tuple[float, float]]:
    """The highest reading of each of at most MOST_POINTS stretches."""
    points = [((at - start_ns) / 1e9, value) for at, value in zip(series.times_ns, series.values, strict=True)]
    length = max(1, math.ceil(len(points) / MOST_POINTS))
    return [max(points[at : at + length], key=lambda one: one[1]) for at in range(0, len(points), length)]


def _stretches(run: Run, telemetry: Telemetry) -> list[strips.Stretch]:
    """From a target's start to its end; none if the moments cannot be read."""
    began = moment(telemetry.header.started)
    found = []
    for number, target in enumerate(run.targets, 1):
        start = moment(target.started)
        if began is not None and start is not None and target.seconds > 0:
            found.append(strips.Stretch(str(number), start - began, start - began + target.seconds))
    return found
