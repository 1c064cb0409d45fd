"""Samples that are taken after the run's own, to find what the timed calls were spared."""

from typing import TYPE_CHECKING

from perfproof.bench import aftermath
from perfproof.bench.sides import Side
from perfproof.measure.arguments import DRAWN

if TYPE_CHECKING:
    from perfproof.bench.worker import Target


def cut_short(target: "Target", samples: int) -> None:
    """A few more samples, ended anywhere: who works only where a sample can end has not worked there."""
    longest = {name: min(taken.usual_length, len(target.pool.sets)) for name, taken in target.taken.items()}
    with target.aside():
        for name, side in target.sides.items():
            for _ in range(samples):
                target.sample(side, int(target.meeting.least(target.rng.randint(1, longest[name]))), keep=True)


def look_beside(target: "Target") -> None:
    """Each side once more, alone: what ran beside it before and does not now was left there by another."""
    timed = target.taken
    for name, side in target.sides.items():
        for _ in range(aftermath.BESIDE_TRIES):  # a side with threads of its own uses them more or less each time
            with target.aside():
                target.sample(side, max(1, round(aftermath.BESIDE_SECONDS / timed[name].call_seconds)))
                problem = aftermath.beside_problem(name, timed[name], target.taken[name])
            if not target.meeting.most(bool(problem)):
                break
        target.findings.note("finished on return", problem)


def look_for_memories(target: "Target") -> None:
    """On a GPU the queue is held for single calls as for timed ones: neither waits for the host."""
    if target.cold:
        return
    lengths = {name: max(1, round(target.sample_like / taken.call_seconds)) for name, taken in target.taken.items()}
    with target.aside("call", primed=target.device != "cpu" and not target.meeting.several):
        for _ in range(aftermath.FRESH_TRIES):  # a cheat is one each time; a machine that was held up is not
            found = _memories(target, lengths)
            problems = {name: aftermath.remembered_problem(name, found) for name in target.sides}
            if not any(problems.values()):
                break
    for name in target.sides:
        target.findings.note("nothing remembered", problems[name])


def _memories(target: "Target", lengths: dict[str, int]) -> dict[str, aftermath.Memory]:
    """Each side in turn: a sample as it is timed, then a single call on values made right before it."""
    found = {name: aftermath.Memory(uneven=target.meeting.several) for name in target.sides}
    spent = 0.0
    for _ in range(aftermath.FRESH_ROUNDS):
        for name, side in target.sides.items():
            found[name].timed.append(target.sample(side, lengths[name])[2])
            found[name].fresh.append(_fresh_seconds(target, side))
            spent += found[name].timed[-1] * lengths[name] + found[name].fresh[-1]
        if spent > aftermath.FRESH_SECONDS:
            break
    return found


def _fresh_seconds(target: "Target", side: Side) -> float:
    """A single call on new values, after another of the side: nothing is colder for it than for calls that are timed.

    Drawing values (writing files, say) cools the caches, so it comes before that other call, which has never met what
    is drawn. Values that are changed in place, where a side may hold on to them, are changed right before the call.
    """
    before, place = target.pool.take(2)
    if target.pool.renewal == DRAWN:
        target.pool.renew_at(place)
    side.function(*side.state, *target.pool.sets[before])
    if target.pool.renewal != DRAWN:
        target.pool.renew_at(place)
    return target.meeting.timed(lambda: target.read(side, [(*side.state, *target.pool.sets[place])])).seconds
