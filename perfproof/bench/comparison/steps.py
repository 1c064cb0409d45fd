"""The processes of a comparison, in their order: couples whose slots are exchanged, launch after launch."""

import itertools
from dataclasses import dataclass

from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.job import Job

ISOLATED_LAUNCHES = 5


@dataclass(frozen=True)
class Step:
    """A process of a comparison."""

    number: int  # of its launch
    couple: int
    slot: int
    isolation: bool
    ends_couple: bool


def steps_of(found: Comparison, number: int) -> list[Step]:
    """The processes of a launch, in their order."""
    job, effort, steps = found.job, found.job.effort, []
    isolated = not (found.rung.isolated or effort.launches == 1) and number < ISOLATED_LAUNCHES
    if found.alone:  # the slots alternate from launch to launch
        slot = first_slot(job, 0, 0) * (-1) ** number
        return [Step(number, 0, slot, isolated, ends_couple=True)]
    for couple in range(effort.couples):
        first = first_slot(job, number, couple)
        last = couple == effort.couples - 1
        steps += [Step(number, couple, first, False, False), Step(number, couple, -first, isolated and last, True)]
    return steps


def first_slot(job: Job, number: int, couple: int) -> int:
    return 1 if job.rng("order", number, couple).random() < 0.5 else -1


def steps_after(found: Comparison, step: Step) -> list[Step]:
    """What comes after a process, if nothing ends the comparison."""
    own = [] if found.alone else steps_of(found, step.number)
    later = (steps_of(found, number) for number in range(step.number + 1, found.job.effort.most_launches))
    return [*own[own.index(step) + 1 if own else 0 :], *itertools.chain.from_iterable(later)]
