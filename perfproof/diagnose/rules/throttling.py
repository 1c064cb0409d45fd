"""The GPU was held back by heat or by its hardware while it was measured: no time of that run can be trusted."""

from bisect import bisect_right
from dataclasses import dataclass
from statistics import median

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Series
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import percent
from perfproof.machine.gpus import EVENT_REASONS
from perfproof.machine.telemetry.throttling import HELD_BACK_BITS, POWER_CAP_BIT

HELD = 0.05  # of the readings of a busy GPU
POWER_LIMITED = 0.50  # likewise; a property of the work, so it is said and not counted as a fault
IDLE_BIT = next(bit for bit, name in EVENT_REASONS.items() if name == "idle")


@dataclass(frozen=True)
class _Held:
    """One GPU of one file."""

    place: str
    readings: int
    held: float  # share of them
    capped: float
    reasons: str
    slower: float | None  # share of the clock that was lost while it was held


def find(evidence: Evidence) -> Finding | Abstained | None:
    seen = [one for path, series in evidence.series.items() for one in _gpus(path, series)]
    if not seen:
        missing = "clock event reasons of the GPU over time: `perfproof monitor -- COMMAND`, or nvidia-smi dmon -s v"
        return Abstained(rule="throttling", missing=missing)
    worst = max(seen, key=lambda one: one.held)
    if worst.held > HELD:
        return _throttled(worst)
    capped = max(seen, key=lambda one: one.capped)
    return _power_limited(capped) if capped.capped > POWER_LIMITED else None


def _gpus(path: str, series: dict[str, Series]) -> list[_Held]:
    found = []
    for name, one in series.items():
        gpu, _, what = name.rpartition(".")
        place = f"{path}, {gpu}"
        if what == "event_reasons":
            found += _of_masks(place, one, series.get(f"{gpu}.sm_mhz"))
        elif what == "tviol" and one.values:  # dmon: 1 where heat held the clocks back in this tick
            held = sum(value > 0 for value in one.values) / len(one.values)
            found.append(_Held(place, len(one.values), held, 0.0, "thermal violations", None))
    return found


def _of_masks(place: str, masks: Series, clock: Series | None) -> list[_Held]:
    busy = [(time, int(mask)) for time, mask in zip(masks.times_ns, masks.values, strict=True)]
    busy = [(time, mask) for time, mask in busy if not mask & IDLE_BIT]
    if not busy:
        return []
    held = [(time, mask) for time, mask in busy if mask & HELD_BACK_BITS]
    bits = 0
    for _, mask in held:
        bits |= mask & HELD_BACK_BITS
    reasons = ", ".join(name for bit, name in EVENT_REASONS.items() if bits & bit)
    capped = sum(bool(mask & POWER_CAP_BIT) for _, mask in busy) / len(busy)
    free = [time for time, mask in busy if not mask & HELD_BACK_BITS]
    slower = _slower(clock, [time for time, _ in held], free)
    return [_Held(place, len(busy), len(held) / len(busy), capped, reasons, slower)]


def _slower(clock: Series | None, held: list[int], free: list[int]) -> float | None:
    """Known where the clock was read in both states."""
    if clock is None or not clock.values or not held or not free:
        return None
    slow, fast = (median(_reading(clock, time) for time in times) for times in (held, free))
    return max(0.0, 1 - slow / fast) if fast > 0 else None


def _reading(series: Series, time: int) -> float:
    """The last one up to a time, or the first."""
    return series.values[max(0, bisect_right(series.times_ns, time) - 1)]


def _throttled(one: _Held) -> Finding:
    lost = "" if one.slower is None else f"; the clock is {percent(one.slower)} lower then"
    text = f"{percent(one.held)} of {one.readings} readings show {one.reasons}{lost}"
    return Finding(
        rule="throttling",
        title="the GPU is throttled",
        confidence="high",
        evidence=[Proof(text=text, place=one.place, values={"held": one.held, "readings": one.readings})],
        share=None if one.slower is None else one.held * one.slower,
        advice="cool it, or take another machine, before anything else is compared: slow-downs of the hardware come "
        "and go between two measurements",
        experiment="perfproof monitor",
        refuted_by="a run of the same length shows none of these reasons and takes as long",
        basis="facts",
        poisons="all",
    )


def _power_limited(one: _Held) -> Finding:
    text = f"{percent(one.capped)} of {one.readings} readings are at the power limit: a property of the work"
    return Finding(
        rule="throttling",
        title="the GPU is at its power limit",
        confidence="low",
        evidence=[Proof(text=text, place=one.place, values={"capped": one.capped, "readings": one.readings})],
        share=None,
        advice="compare variants by interleaved measurement; fewer bytes moved and lower precision need less power",
        experiment="perfproof monitor",
        refuted_by="clocks do not rise when the same work is spread over a longer time",
        basis="facts",
    )
