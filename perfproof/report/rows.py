"""A saved run as rows of text, one for each variant: what every format shows, worked out once."""

import math
from dataclasses import dataclass
from pathlib import PurePosixPath

from perfproof.core import units
from perfproof.core.documents import RatioResult, Run, TargetResult, VariantResult

FAILED = ("failed-verification", "rejected", "refused", "crashed", "timeout")
TRAFFIC_DIFFERS = 0.02
CARRY_OVER_SHOWN = 0.05  # a switching cost above this share is always said beside the verdict


@dataclass(frozen=True)
class Row:
    target: str
    variant: str  # "" where the target has no ratio
    label: str  # the target, its variant where it has several, and "(naive)"
    word: str  # the verdict, or the status where there is none
    ratio: str  # "3.21x [3.18, 3.24]"
    baseline: str  # time, or what the claim is about
    measured: str
    notes: tuple[str, ...]


def rows_of(run: Run) -> list[Row]:
    return [row for target in run.targets for row in target_rows(target)]


def target_rows(target: TargetResult) -> list[Row]:
    """One row for each judged variant; a target without a result has one row that says why."""
    mark = " (naive)" if target.tier == "naive" else ""
    if target.status != "ok" or not target.ratios:
        notes = (target.reason,) if target.reason else ()
        word = target.status if target.status != "ok" else (target.verdict or "ok")
        return [Row(target.target, "", target.target + mark, word, "", "", "", notes)]
    several = len(target.ratios) > 1
    rows: list[Row] = []
    for variant, judged in target.ratios.items():
        label = f"{target.target} {variant}{mark}" if several else f"{target.target}{mark}"
        baseline, measured = target.variants.get("baseline"), target.variants.get(variant)
        rows.append(
            Row(
                target.target,
                variant,
                label,
                judged.verdict,
                ratio_text(judged, is_exact(judged, baseline, measured)),
                quantity(baseline, judged),
                quantity(measured, judged),
                (
                    *ratio_notes(judged),
                    *light_notes(target, variant, judged),
                    *goodput_notes(target, variant),
                    *also_notes(target, variant),
                    *([] if rows else rank_notes(target)),
                ),
            )
        )
    return rows


def rank_notes(target: TargetResult) -> list[str]:
    """How evenly the ranks of a target share its time, once for all its variants."""
    ranks = target.ranks
    if ranks is None:
        return []
    sides = [
        f"{name} {units.percent(side.ranks.spread)} apart (rank {side.ranks.straggler} last in "
        f"{units.percent(side.ranks.straggler_share, 0)})"
        for name, side in target.variants.items()
        if side.ranks
    ]
    start = f"; they start {units.seconds(ranks.skew_seconds)} apart" if ranks.skew_seconds is not None else ""
    return [f"{ranks.count} {ranks.backend} ranks, the slowest is the time: {', '.join(sides)}{start}"]


def ratio_text(judged: RatioResult, exact: bool = False) -> str:
    """3.21x [3.18, 3.24]: with as many decimals as the interval's width needs."""
    if judged.ratio is None:
        return ""
    if exact:
        return f"{units.ratio(judged.ratio)} exact"
    if judged.low is None or judged.high is None:
        return f"{units.ratio(judged.ratio)} no interval"
    shown = units.ratio(judged.ratio).rstrip("x")
    decimals = len(shown.partition(".")[2])
    width = judged.high - judged.low
    if width > 0 and math.isfinite(width):
        decimals = min(5, max(decimals, math.ceil(-math.log10(width))))
    return f"{judged.ratio:.{decimals}f}x [{judged.low:.{decimals}f}, {judged.high:.{decimals}f}]"


def quantity(side: VariantResult | None, judged: RatioResult) -> str:
    """What the claim is about, for one side: a time by the verdict's clock, bytes, joules."""
    if side is None:
        return "–"
    if judged.claim == "memory":
        return units.binary_bytes(side.memory.peak_bytes if side.memory else None)
    if judged.claim == "energy":
        return "–" if side.energy_joules is None else f"{side.energy_joules:.3g} J"
    if judged.claim == "startup":
        return units.seconds(side.startup_seconds)
    if judged.claim == "metric":
        return f"{side.metrics[judged.clock]:.4g}" if judged.clock in side.metrics else "–"
    return units.seconds(side.times.get(judged.clock))


def is_exact(judged: RatioResult, *sides: VariantResult | None) -> bool:
    """Memory that every process agreed on has a ratio without an interval."""
    return judged.claim == "memory" and all(side and side.memory and side.memory.exact for side in sides)


def ratio_notes(judged: RatioResult) -> list[str]:
    """What has to be said beside a verdict."""
    notes = []
    if judged.verdict == "same":
        notes.append(_same_note(judged))
    if judged.verdict == "inconclusive" and judged.more_launches is not None:
        time = "" if judged.more_seconds is None else f", about {units.seconds(judged.more_seconds)}"
        what = "blocks of runs" if judged.rung == "programs" else "launches"
        notes.append(f"needs {judged.more_launches} more {what}{time}")
    if judged.verdict == "unstable" and judged.modes:
        total = sum(mode.launches for mode in judged.modes)
        modes = [f"{mode.launches} of {total} launches at {units.ratio(mode.ratio)}" for mode in judged.modes]
        notes.append(", ".join(modes))
    if judged.carry_over is not None and abs(judged.carry_over) > CARRY_OVER_SHOWN:
        notes.append(f"carry-over {units.percent(judged.carry_over)}: switching sides disturbs (rung {judged.rung})")
    if judged.note:
        notes.append(judged.note)
    return [note for note in notes if note]


def light_notes(target: TargetResult, variant: str, judged: RatioResult) -> list[str]:
    """How far both sides are from what the machine can do, and what a gain is made of."""
    sides = [target.variants.get(side) for side in ("baseline", variant)]
    baseline, measured = (side.light if side else None for side in sides)
    if measured is None or judged.claim != "time":
        return []
    notes = []
    if measured.share is not None and baseline is not None and baseline.share is not None:
        shares = f"{units.percent(measured.share, 0)}, the baseline {units.percent(baseline.share, 0)}"
        notes.append(f"of what this machine can do ({measured.ceiling}): {shares}")
    traffic, bandwidth = measured.traffic_ratio, measured.bandwidth_ratio
    if traffic is not None and bandwidth is not None and abs(traffic - 1) > TRAFFIC_DIFFERS:
        notes.append(f"that is {units.ratio(traffic)} less traffic at {units.ratio(bandwidth)} the bandwidth")
    return notes


def goodput_notes(target: TargetResult, variant: str) -> list[str]:
    """Useful work over wall time, for a pair whose `cost` declares the `samples` of a call."""
    samples, sides = target.cost.get("samples"), target.variants
    if not samples or "baseline" not in sides or variant not in sides:
        return []
    before, after = (_goodput(samples, sides[name]) for name in ("baseline", variant))
    notes = [f"{what} {after[what]}, the baseline {before[what]}" for what in after if what in before]
    unknown = target.kernel_clock.startswith("unknown")
    return [*notes, *([f"device busy time {target.kernel_clock}"] if unknown else [])]


def _goodput(samples: float, side: VariantResult) -> dict[str, str]:
    """What is known: samples a second, the share of the time that the device is busy, samples a joule."""
    wall, busy, joules = side.times.get("call"), side.times.get("kernel"), side.energy_joules
    found = {}
    if wall:
        found["goodput"] = f"{_three_digits(samples / wall)} samples/s"
    if wall and busy:
        found["device busy for"] = f"{units.percent(busy / wall, 0)} of the time"
    if joules:
        found["samples a joule"] = _three_digits(samples / joules)
    return found


def also_notes(target: TargetResult, variant: str) -> list[str]:
    """What else the same runs of two programs measured: shown, and no part of the verdict."""
    baseline, measured = target.variants.get("baseline"), target.variants.get(variant)
    notes = []
    for name, judged in target.also.items():
        text = f"{name} {judged.verdict} {ratio_text(judged, is_exact(judged, baseline, measured))}".rstrip()
        said = f"; {judged.note}" if judged.ratio is None and judged.note else ""
        notes.append(f"{text}, {quantity(baseline, judged)} to {quantity(measured, judged)}{said}")
    return notes


def folder_of(run: Run) -> PurePosixPath:
    """The run's folder as the person who ran it would write it."""
    return PurePosixPath(str(run.options.get("artifacts_dir", "artifacts"))) / run.run


def machine_warnings(run: Run) -> list[dict[str, str]]:
    return list(run.machine.get("warnings", []))


def one_line(text: str) -> str:
    return " ".join(text.split())


def _three_digits(value: float) -> str:
    """0.0123, 12.3, 12,300,000: as many significant digits, thousands set apart."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def _same_note(judged: RatioResult) -> str:
    parts = []
    if judged.bound is not None:
        parts.append(f"any difference is below {units.percent(judged.bound)}")
    if judged.smallest_effect is not None:
        parts.append(f"would have found {units.percent(judged.smallest_effect)} in 9 of 10 runs")
    return "; ".join(parts)
