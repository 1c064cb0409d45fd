"""The target of a form as a number: its KPI says whether it is a time or a rate, and whether it is meant per GPU."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perfproof.core.intake import Intake
from perfproof.triage.intake import quantities
from perfproof.triage.intake.plans import gpus_of
from perfproof.triage.intake.problems import Problem

TARGET = ("goal", "target")
TIMES = {
    "ttft": ("ttft", "first token"),
    "tpot": ("tpot", "per token", "inter-token", "itl"),
    "latency": ("latency", "step time", "time per step", "e2e", "seconds per step"),
}
PER_GPU = re.compile(r"\s*(/|per)\s*gpu\b", re.IGNORECASE)


@dataclass(frozen=True)
class Target:
    """`unit` is "s" and `field` ttft, tpot or latency; or `unit` is what is counted, per second of all GPUs."""

    value: float
    unit: str
    field: str = ""


def read_target(intake: Intake) -> Target | None:
    """None for a target that is no time and no rate, or whose KPI does not say which time is meant."""
    written, kpi = intake.goal.target or "", intake.goal.kpi.lower()
    plain = PER_GPU.sub("", written)
    seconds = quantities.seconds(plain)
    if seconds is not None:
        field = next((name for name, words in TIMES.items() if any(word in kpi for word in words)), "")
        return Target(seconds, "s", field) if field else None
    rate = quantities.throughput(plain)
    if rate is None:
        return None
    gpus = gpus_of(intake) if plain != written or PER_GPU.search(kpi) else 1
    return Target(rate[0] * gpus, rate[1]) if gpus else None


def target_met_already(intake: Intake) -> Iterator[Problem]:
    """Held against the same figure of the baseline, if the form has it."""
    target = read_target(intake)
    if target is None:
        return
    if target.unit == "s":
        written = getattr(intake.baseline, f"{target.field}_p50")
        today = quantities.seconds(written) if written else None
        is_met = today is not None and today <= target.value
    else:
        written = intake.baseline.throughput
        rate = quantities.throughput(written) if written else None
        is_met = rate is not None and rate[1] == target.unit and rate[0] >= target.value
    if is_met:
        yield Problem(TARGET, f"is met already: {written} today", "doubt")
