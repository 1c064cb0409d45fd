"""Steps on the device. Where the host runs ahead, the work of a step begins after the step's range on the host is over.

Work belongs to the step in which the host launched it. Where much of the steady steps' work lies beyond them, a step is
the time from its first work on the device to the first work of the next one.
"""

from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise

from perfproof.core.events import ABSENT, DEVICE_WORK, Events
from perfproof.profile.intervals import Interval, clip, total, union
from perfproof.profile.launches import launch_of_work
from perfproof.profile.repeats import repeated_steps
from perfproof.profile.steps import Step, Steps, find_steps

AHEAD = 0.05  # of the steady steps' device time, after the last of them has ended on the host
BEHIND = "as the device works them off, behind the host"


def steps_of(events: Events, rank: int = ABSENT) -> Steps:
    """The steps to look at: the host's, or where it runs ahead the device's; without marks, what repeats."""
    found = find_steps(events, rank)
    if not found.steady:
        return repeated_steps(events, rank)
    work = _work_by_step(events, found, rank)
    return _on_device(found, work) if _runs_ahead(found, work) else found


def _work_by_step(events: Events, found: Steps, rank: int) -> dict[Step, list[Interval]]:
    """What was launched in each step, as it ran on the devices."""
    rows = [row for row in events.where(*DEVICE_WORK) if rank in (ABSENT, events.rank[row])]
    work: dict[Step, list[Interval]] = {step: [] for step in found.steps}
    for row, call in launch_of_work(events, rows).items():
        place = bisect_right(found.steps, events.start_ns[call], key=lambda step: step.start_ns) - 1
        if place >= 0 and events.start_ns[call] < found.steps[place].end_ns:
            work[found.steps[place]].append((events.start_ns[row], events.end_ns[row]))
    return work


def _runs_ahead(found: Steps, work: dict[Step, list[Interval]]) -> bool:
    own = union(span for step in found.steady for span in work[step])
    end = found.steady[-1].end_ns
    beyond = clip(own, (end, max(end, own[-1][1]))) if own else []
    return total(beyond) > AHEAD * total(own)


def _on_device(found: Steps, work: dict[Step, list[Interval]]) -> Steps:
    """Steps without device work are none here; the last ends with its own work."""
    own = [(step, union(work[step])) for step in found.steps if work[step]]
    begun = sorted((spans[0][0], spans[-1][1], step.number) for step, spans in own)
    periods = [Step(one[0], following[0], one[2]) for one, following in pairwise(begun)]
    steps = tuple(step for step in (*periods, Step(*begun[-1])) if step.end_ns > step.start_ns)
    missing = len(found.steps) - len(steps)
    return replace(found, steps=steps, source=f"{found.source}, {BEHIND}", found=found.found - missing)
