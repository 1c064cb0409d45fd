"""The parallel plans that a form leaves possible: a field that is empty says nothing, so each of its values is tried.

A promise is impossible only where no plan keeps it. GPUs that the filled fields do not use may go to any empty one.
"""

import math
from collections.abc import Iterator

from perfproof.calc.step_time import Plan
from perfproof.core.intake import Intake, Software


def gpus_of(intake: Intake) -> int | None:
    """All GPUs; where the form does not count them, those of its plan, if it says how large a replica is."""
    hardware, software = intake.hardware, intake.software
    if hardware.gpus_per_node:
        return hardware.gpus_per_node * (hardware.nodes or 1)
    return _product(software) if software.tensor_parallel and software.pipeline_parallel else None


def possible_plans(software: Software, gpus: int) -> list[Plan]:
    """All ways to give the GPUs that are left to the fields that are empty."""
    fields = _fields(software)
    left = max(1, gpus // _product(software))
    plans = []
    for split in _splits(left, fields.count(None)):
        filled = iter(split)
        tp, pp, dp = (next(filled) if field is None else field for field in fields)
        plans.append(Plan(tp=tp, pp=pp, dp=dp))
    return plans


def weights_over(software: Software, plan: Plan, can_share: bool) -> int:
    """How many GPUs may divide one copy of the weights; `can_share`: data-parallel ranks may (ZeRO-3, experts)."""
    if can_share or (software.data_parallel or 1) > 1:
        return plan.gpus
    return plan.tp * plan.pp


def written_replica(software: Software, gpus: int) -> int:
    """The GPUs of a replica as engines take such a plan: what is empty beside a number is 1."""
    ranks = software.data_parallel or 1
    if software.tensor_parallel is None and software.pipeline_parallel is None:
        return max(1, gpus // ranks)
    return (software.tensor_parallel or 1) * (software.pipeline_parallel or 1)


def _fields(software: Software) -> tuple[int | None, int | None, int | None]:
    return software.tensor_parallel, software.pipeline_parallel, software.data_parallel


def _product(software: Software) -> int:
    tp, pp, dp = (field or 1 for field in _fields(software))
    return tp * pp * dp


def _splits(count: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to write `count` as a product of so many numbers; nothing to split is one way."""
    if parts <= 1:
        yield (count,) * parts
        return
    for first in _divisors(count):
        for rest in _splits(count // first, parts - 1):
            yield (first, *rest)


def _divisors(count: int) -> list[int]:
    small = [number for number in range(1, math.isqrt(count) + 1) if count % number == 0]
    return sorted({*small, *(count // number for number in small)})
