"""What a comparison says of one variant: its ratio, its interval and its verdict."""

import math
from dataclasses import replace

from perfproof.bench.comparison.comparison import Comparison
from perfproof.core.documents import CORRECTED, RatioResult
from perfproof.core.units import percent, ratio
from perfproof.stats.judgement import Judgement
from perfproof.stats.modes import rarest_mode_seen
from perfproof.stats.quads import TWIN, process_value, value_with_left_out
from perfproof.stats.units import Interval, interval, slot_effect
from perfproof.stats.verdicts import judge, words

MOST_REPEATED = 0.05  # of the calls may see values that came before
OFTEN_DISTURBED_SECONDS = 3e-3  # of a call: systems take a core away for other work after about as long
BUSY_LOAD = "the machine was busy with other work; stop it, or measure when it is quiet"


def verdict_of(found: Comparison, kind: str) -> RatioResult:
    """The stored result of one variant; its two times divide to its ratio."""
    job = found.job
    values, twin_units = found.values(kind), found.units(TWIN)
    judged = judge(
        found.units(kind),
        beta=found.band,
        delta=job.delta,
        level=found.level,
        process_errors=[value.standard_error for value in values if not math.isnan(value.standard_error)],
        invalid_share=found.invalid_share(kind),
        twin=interval(twin_units) if twin_units else None,
        one_launch=found.one_launch,
        bias=found.bias(kind),
        typical=found.units(kind, of="typical"),
        with_left_out=_with_left_out(found, kind),
        tail=found.tail(kind),
        load=_load(found),
    )
    judged = _with_hint(judged, found, kind)
    judged = _held_in_cycles(judged, found.in_cycles(kind))
    judged = _without_verdict(judged, found)
    if job.effort.new_interpreters and not judged.note:
        rarest = f"modes that fewer than {rarest_mode_seen(found.launches):.0%} of launches show would not be seen"
        judged = replace(judged, note=rarest)
    slot, _ = slot_effect(values)
    per_launch = found.seconds / max(1, found.launches)
    return RatioResult(
        **{**judged.fields(), "verdict": words(judged.verdict, "time")},
        **_two_times(found.units(kind, of="baseline"), judged.ratio),
        launches=found.launches,
        processes=len(values),
        rung=CORRECTED[found.rung.name],
        clock=job.clock,
        slot_effect=slot,
        carry_over=found.carry(kind).d,
        quads=sum(value.total for value in values),
        invalid_quads=sum(value.total - value.valid for value in values),
        more_seconds=judged.more_launches * per_launch if judged.more_launches else None,
    )


def _with_left_out(found: Comparison, kind: str) -> list[float]:
    """The judged units, moved by what the disturbed samples would move the totals by."""
    left_out = found.units(kind, summarise=value_with_left_out)
    judged, totals = found.units(kind), found.units(kind, summarise=process_value)
    if not len(left_out) == len(judged) == len(totals):
        return []
    return [one + moved - total for one, moved, total in zip(judged, left_out, totals, strict=True)]


def _with_hint(judged: Judgement, found: Comparison, kind: str) -> Judgement:
    """If the machine was too busy for a ratio, what CPU times say: less than a verdict, and more than nothing."""
    units = found.units(kind, summarise=value_with_left_out) if judged.ratio is None else []
    if not units:
        return judged
    hint = f"by CPU time, which other work does not take, it is about {ratio(math.exp(math.fsum(units) / len(units)))}"
    longest = max(seconds for record in found.records for seconds in record.call_seconds.values())
    shorter = "; shorter calls, with fewer items, are disturbed less" if longest > OFTEN_DISTURBED_SECONDS else ""
    return replace(judged, note=f"{judged.note}; {hint}, a hint only{shorter}")


def _two_times(log_baseline: list[float], ratio: float | None) -> dict[str, float]:
    """Geometric means over the same launches of the same sums."""
    if not log_baseline or ratio is None:
        return {}
    baseline = math.exp(math.fsum(log_baseline) / len(log_baseline))
    return {"baseline": baseline, "variant": baseline / ratio}


def _without_verdict(judged: Judgement, found: Comparison) -> Judgement:
    """Too few launches, or calls that saw values again: the number is shown, and no verdict."""
    job, why = found.job, ""
    if not found.complete:
        asked = f"{job.effort.launches} launches of --effort {job.effort.name}"
        why = f"{found.launches} of the {asked} measured: raise --budget or --timeout"
    if found.repeated > MOST_REPEATED:
        seen = f"{percent(found.repeated, 0)} of the calls saw values that had come before"
        why = f"{seen}: let `inputs` draw from more values"
    if not why:
        return judged
    return replace(judged, verdict="indicative", size=None, note="; ".join(filter(None, (why, judged.note))))


def _load(found: Comparison) -> str:
    """Were most of the samples that were left out preempted?"""
    left_out = [row["disturbed"] for record in found.records for row in record.rows if not row["valid"]]
    return BUSY_LOAD if left_out.count("preempted") * 2 > len(left_out) else ""


def _held_in_cycles(judged: Judgement, cycles: Interval | None) -> Judgement:
    """Where the sides ran at different clocks, the interval in cycles has to clear the band on the same side too."""
    if cycles is None or judged.verdict not in ("faster", "slower") or cycles.low is None or cycles.high is None:
        return judged
    beta = judged.beta or 0.0
    if cycles.low > beta if judged.verdict == "faster" else cycles.high < -beta:
        return judged
    note = f"the sides ran at different clocks: {math.exp(cycles.theta):.3f}x in cycles, {judged.ratio:.3f}x in time"
    return replace(judged, verdict="unstable", note=note)
