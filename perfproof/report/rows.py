"""A saved run as rows of text, one for each variant: what every format shows, worked out once."""

import math
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from perfproof.core import units
from perfproof.core.documents import CORRECTED, Check, RatioResult, Run, TargetResult, VariantResult
from perfproof.core.other_work import WORD as OTHER_WORK
from perfproof.core.other_work import is_other_work
from perfproof.core.ratio_figures import has_figures, identical_text, ratio_figures, seconds_of
from perfproof.report.alone import timed_alone
from perfproof.report.undecided import needs_text

FAILED = ("failed-verification", "rejected", "refused", "crashed", "timeout")
TRAFFIC_DIFFERS = 0.02
CARRY_OVER_SHOWN = 0.05  # a switching cost above this share is always said beside the verdict
SETUP_CALLS = 10  # a set-up that takes as long as so many calls is said beside the verdict,
SETUP_SECONDS = 1e-3  # unless it is shorter than this
TWIN_SHOWN = 0.1  # a baseline that differs from itself by more is said beside a result that is open
OPEN = ("indicative", "inconclusive", "unstable")
WIDENED = r"widened by [\d.]+ %"
NAMED_CHECKS = 2
PLAIN_NAMES = {  # of checks that may not run; `perfproof explain` knows both
    "isolation": "side effects",
    "speed of light": "machine limits",
    "values change": "fresh inputs",
    "matches the other side": "answers",
}


@dataclass(frozen=True)
class Row:
    target: str
    variant: str  # "" where the target has no ratio
    label: str  # the target, its variant where it has several, and "(naive)"
    word: str  # the verdict, or the status where there is none
    ratio: str  # "3.21x [3.18, 3.24]"
    baseline: str  # time, or what the claim is about; with `measured` it divides to the ratio
    measured: str
    notes: tuple[str, ...]
    not_run: tuple[str, ...] = ()  # checks that did not run, in words of the reader: they count as nothing

    @property
    def said(self) -> str:
        """The word with what was not checked: "faster (side effects not checked)"."""
        return f"{self.word} ({self.missing})" if self.missing else self.word

    @property
    def missing(self) -> str:
        """What was not checked, in a few words; empty if everything was."""
        if len(self.not_run) > NAMED_CHECKS:
            return f"{len(self.not_run)} checks left out"
        return f"{', '.join(self.not_run)} not checked" if self.not_run else ""


def rows_of(run: Run) -> list[Row]:
    return [row for target in run.targets for row in target_rows(target)]


def target_rows(target: TargetResult) -> list[Row]:
    """One row for each judged variant; a target without a result has one row that says why."""
    mark = " (naive)" if target.tier == "naive" else ""
    if target.status != "ok" or not target.ratios:
        if target.is_alone:
            return [Row(target.target, "", target.target, "timed", "", "", "", (timed_alone(target),))]
        notes = (target.reason,) if target.reason else ()
        word = target.status if target.status != "ok" else (target.verdict or "ok")
        return [Row(target.target, "", target.target + mark, word, "", "", "", notes)]
    several = len(target.ratios) > 1
    left_out = (check for check in target.checks if check.result == "not-run")
    not_run = tuple(dict.fromkeys(_left_out_text(check) for check in left_out))
    rows: list[Row] = []
    for variant, judged in target.ratios.items():
        before, after = ratio_figures(target, variant)
        rows.append(
            Row(
                target.target,
                variant,
                f"{target.target} {variant}{mark}" if several else f"{target.target}{mark}",
                OTHER_WORK if is_other_work(target) else judged.verdict,
                ratio_text(judged, is_exact(target, variant, judged)),
                quantity(before, judged),
                quantity(after, judged),
                (
                    *ratio_notes(judged),
                    *light_notes(target, variant, judged),
                    *goodput_notes(target, variant),
                    *setup_notes(target, variant, baseline=not rows),
                    *also_notes(target, variant),
                    *([] if rows else rank_notes(target)),
                    *([] if rows else not_run_notes(not_run)),
                ),
                not_run,
            )
        )
    return rows


def _left_out_text(check: Check) -> str:
    """A check that did not run, in words of the reader, and by how much the interval allows for what it would say."""
    widened = re.search(WIDENED, check.detail)
    allowed = f" (the interval is {widened[0]} for them)" if widened else ""
    return f"{PLAIN_NAMES.get(check.name, check.name)}{allowed}"


def twin_text(judged: RatioResult) -> str:
    """How far the baseline was from itself, if that is much and nothing was decided."""
    if judged.twin is None or judged.verdict not in OPEN or abs(judged.twin) < TWIN_SHOWN:
        return ""
    return f"the baseline differed from itself by {units.percent(abs(judged.twin), 0)}: the machine was not quiet"


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
    decimals = ratio_decimals(judged.ratio, judged.low, judged.high)
    return f"{judged.ratio:.{decimals}f}x [{judged.low:.{decimals}f}, {judged.high:.{decimals}f}]"


def ratio_decimals(ratio: float, low: float | None, high: float | None) -> int:
    """As many as the width of the interval needs, and not fewer than the ratio alone has."""
    decimals = len(units.ratio(ratio).rstrip("x").partition(".")[2])
    width = 0.0 if low is None or high is None else high - low
    if width > 0 and math.isfinite(width):
        decimals = min(5, max(decimals, math.ceil(-math.log10(width))))
    return decimals


def quantity(value: float | None, judged: RatioResult) -> str:
    """A figure of a ratio in the unit of its claim: a time, bytes, joules, or a plain number."""
    if judged.claim == "memory":
        return units.binary_bytes(value)
    if judged.claim in ("energy", "metric"):
        return "–" if value is None else f"{value:.3g} J" if judged.claim == "energy" else f"{value:.4g}"
    return units.seconds(value)


def is_exact(target: TargetResult, variant: str, judged: RatioResult) -> bool:
    """Memory that every process agreed on has a ratio without an interval."""
    sides = [target.variants.get(name) for name in ("baseline", variant)]
    return judged.claim == "memory" and all(side and side.memory and side.memory.exact for side in sides)


def ratio_notes(judged: RatioResult) -> list[str]:
    """What has to be said beside a verdict."""
    same = (bound_text(judged), power_text(judged)) if judged.verdict == "same" else ()
    modes = modes_text(judged) if judged.verdict == "unstable" else ""
    notes = (*same, needs_text(judged), modes, twin_text(judged), carry_over_text(judged), judged.note)
    return [note for note in notes if note]


def modes_text(judged: RatioResult) -> str:
    """`12 of 14 launches at 1.90x, 2 of 14 launches at 0.06x`; empty without groups. One launch has couples."""
    total = sum(mode.launches for mode in judged.modes)
    what = "couples of processes" if judged.launches == 1 else "launches"
    return ", ".join(f"{mode.launches} of {total} {what} at {units.ratio(mode.ratio)}" for mode in judged.modes)


def power_text(judged: RatioResult) -> str:
    """What a comparison that found no difference would have found."""
    if judged.smallest_effect is None:
        return ""
    return f"would have found {units.percent(judged.smallest_effect)} in 9 of 10 runs"


def carry_over_text(judged: RatioResult) -> str:
    """What switching between the sides does, if it is much, and what was done about it; older documents did less."""
    if judged.carry_over is None or abs(judged.carry_over) <= CARRY_OVER_SHOWN:
        return ""
    shift = f"Switching between the two sides shifts the times by up to {units.percent(abs(judged.carry_over))}"
    if judged.rung == "stay":
        return f"{shift}; samples that follow their own side are judged"
    if judged.rung in CORRECTED.values():
        return f"{shift}; the ratio is corrected for that"
    return f"{shift}; the interval includes that" if has_figures(judged) else shift


def light_notes(target: TargetResult, variant: str, judged: RatioResult) -> list[str]:
    """How far both sides are from what the machine can do, and what a gain is made of."""
    sides = [target.variants.get(side) for side in ("baseline", variant)]
    measured = sides[1].light if sides[1] else None
    if measured is None or judged.claim != "time":
        return []
    notes = []
    before, after = (
        share_of(side, seconds) for side, seconds in zip(sides, ratio_figures(target, variant), strict=True)
    )
    if before is not None and after is not None:
        shares = f"{units.percent(after, 0)}, the baseline {units.percent(before, 0)}"
        notes.append(f"of what this machine can do ({measured.ceiling}): {shares}")
    traffic = measured.traffic_ratio
    if traffic and judged.ratio is not None and abs(traffic - 1) > TRAFFIC_DIFFERS:
        notes.append(
            f"that is {units.ratio(traffic)} less traffic at {units.ratio(judged.ratio / traffic)} the bandwidth"
        )
    return notes


def share_of(side: VariantResult | None, seconds: float | None) -> float | None:
    """The share of the ceilings that a side reaches in `seconds` per call."""
    light = side.light if side else None
    if light is None or light.fastest_seconds is None or not seconds:
        return light.share if light else None
    return light.fastest_seconds / seconds


def goodput_notes(target: TargetResult, variant: str) -> list[str]:
    """Useful work over wall time, for a pair whose `cost` declares the `samples` of a call."""
    samples, sides = target.cost.get("samples"), target.variants
    if not samples or "baseline" not in sides or variant not in sides:
        return []
    before, after = (_goodput(samples, target, name, variant) for name in ("baseline", variant))
    notes = [f"{what} {after[what]}, the baseline {before[what]}" for what in after if what in before]
    unknown = target.kernel_clock.startswith("unknown")
    return [*notes, *([f"device busy time {target.kernel_clock}"] if unknown else [])]


def _goodput(samples: float, target: TargetResult, name: str, variant: str) -> dict[str, str]:
    """What is known: samples per second, the share of the time that the device is busy, samples per joule."""
    side, judged = target.variants[name], target.ratios.get(variant)
    wall, busy, joules = side.times.get("call"), side.times.get("kernel"), side.energy_joules
    if judged is not None and judged.claim == "time" and judged.clock == "call":
        wall = seconds_of(target, name, variant)
    if judged is not None and judged.claim == "energy":
        joules = ratio_figures(target, variant)[0 if name == "baseline" else 1]
    wall, busy, joules = (value if value and math.isfinite(value) else None for value in (wall, busy, joules))
    found = {}
    if wall:
        found["goodput"] = f"{_three_digits(samples / wall)} samples/s"
    if wall and busy:
        found["device busy for"] = f"{units.percent(busy / wall, 0)} of the time"
    if joules:
        found["samples per joule"] = _three_digits(samples / joules)
    return found


def setup_notes(target: TargetResult, variant: str, baseline: bool = True) -> list[str]:
    """What a side does once and before its times: in its preparation, or in its first call."""
    notes = []
    for name in ("baseline", variant) if baseline else (variant,):
        side, call = target.variants.get(name), seconds_of(target, name, variant)
        if side is None:
            continue
        least = max(SETUP_SECONDS, SETUP_CALLS * (call or 0.0))
        parts = ((side.setup_seconds, "before the calls"), (side.first_call_seconds, "in the first call"))
        said = [f"{units.seconds(value)}, {where}" for value, where in parts if value is not None and value >= least]
        notes += [f"{target.labels.get(name, name)}: set-up {'; '.join(said)}"] if said else []
    return notes


def not_run_notes(names: tuple[str, ...]) -> list[str]:
    """Their names, if there are too many for the verdict's line."""
    return [f"not checked: {', '.join(names)}"] if len(names) > NAMED_CHECKS else []


def also_notes(target: TargetResult, variant: str) -> list[str]:
    """What else the same processes measured: shown, and no part of the verdict."""
    notes = []
    for name, judged in target.also.items():
        if identical := identical_text(judged):
            notes.append(f"{name} {identical}")
            continue
        before, after = ratio_figures(target, variant, judged)
        if judged.note and (before, after) == (None, None):
            notes.append(f"{name} {judged.note}")
            continue
        text = f"{name} {judged.verdict} {ratio_text(judged, is_exact(target, variant, judged))}".rstrip()
        said = f"; {judged.note}" if judged.ratio is None and judged.note else ""
        notes.append(f"{text}, {quantity(before, judged)} to {quantity(after, judged)}{said}")
    return notes


def level_text(run: Run) -> str:
    """The confidence of the intervals in per cent; from the lowest to the highest if there are several."""
    levels = sorted({judged.level for target in run.targets for judged in target.ratios.values()})
    return " to ".join(f"{100 * one:.3g}" for one in dict.fromkeys([*levels[:1], *levels[-1:]])) or "97"


def folder_of(run: Run) -> PurePosixPath:
    """The run's folder as the person who ran it would write it."""
    return PurePosixPath(str(run.options.get("artifacts_dir", "artifacts"))) / run.run


def machine_warnings(run: Run) -> list[dict[str, str]]:
    return list(run.machine.get("warnings", []))


def one_line(text: str) -> str:
    """Without line breaks; spaces stay, because values that are quoted in it may differ in them."""
    return re.sub(r"\s*\n\s*", " ", text.strip())


def _three_digits(value: float) -> str:
    """0.0123, 12.3, 12,300,000: as many significant digits, thousands set apart."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def bound_text(judged: RatioResult) -> str:
    return "" if judged.bound is None else f"any difference is below {units.percent(judged.bound)}"
