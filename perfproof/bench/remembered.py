"""Is anything worked out before the call that is timed? A call on values drawn right before it shows what that spares.

Every timed call sees values for the first time, so an answer cannot be kept from an earlier one. What is left is a
side that gets hold of the next values and works while it is not timed.
"""

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from perfproof.stats.quads import TWIN

if TYPE_CHECKING:
    from perfproof.bench.sides import Side
    from perfproof.bench.worker import Target

ROUNDS, SECONDS, TRIES = 31, 0.3, 3
# A single call beyond this many times the timed one, and so much more, did what the timed one was spared.
TIMES, SLACK, USUAL = 1.5, 10e-6, 1.5
UNEVEN_TIMES = 3.0  # ranks: few of their calls fit into the time, and the fastest of few is not the fastest of all


@dataclass
class Memory:
    """Per round: seconds per call of a sample as it is timed, and of one call on values drawn right before it.

    The two of a round are neighbours in time, so that what holds the machine up for a while holds up both.
    """

    timed: list[float] = field(default_factory=list)
    fresh: list[float] = field(default_factory=list)
    uneven: bool = False  # ranks: a call takes as long as the system holds up the last of many threads

    @property
    def times(self) -> float:
        if self.uneven:
            return min(self.fresh) / min(self.timed)
        return median(fresh / timed for fresh, timed in zip(self.fresh, self.timed, strict=True))


def remembered_problem(name: str, found: dict[str, Memory]) -> str:
    """A single call is a little slower on every side; the baseline says how much."""
    own = found[name]
    usual = max(1.0, found["baseline"].times) if "baseline" in found else USUAL
    times = UNEVEN_TIMES if own.uneven else TIMES
    if own.times <= times * usual + SLACK / median(own.timed):
        return ""
    seconds = f"{median(own.fresh) * 1e6:.3g} µs per call on values drawn just before it, "
    return f"{name} takes {seconds}{median(own.timed) * 1e6:.3g} µs when timed: do all the work in every call"


def look_for_memories(target: "Target") -> None:
    """On a GPU the queue is held for single calls as for timed ones: neither waits for the host."""
    if target.cold:
        return
    with target.aside("call", primed=target.device != "cpu" and not target.meeting.several):
        for _ in range(TRIES):  # a cheat is one each time; a machine that was held up is not
            found = _memories(target)
            problems = {name: remembered_problem(name, found) for name in found}
            if not any(problems.values()):
                break
    for problem in problems.values():
        target.findings.note("nothing remembered", problem)


def _memories(target: "Target") -> dict[str, Memory]:
    """Each side in turn: a sample as it is timed, then a single call on values drawn right before it."""
    sides = {name: side for name, side in target.sides.items() if name != TWIN}
    found = {name: Memory(uneven=target.meeting.several) for name in sides}
    spent, most = 0.0, SECONDS / max(1.0, target.pool_seconds / min(target.call_seconds.values()))
    for _ in range(ROUNDS):
        for name, side in sides.items():
            length = max(1, round(target.sample_like / target.call_seconds[name]))
            found[name].timed.append(target.sample(side, length)[2])
            found[name].fresh.append(_fresh_seconds(target, side))
            spent += found[name].timed[-1] * length + found[name].fresh[-1]
        if spent > most:
            break
    return found


def _fresh_seconds(target: "Target", side: "Side") -> float:
    """One call on values drawn right before it.

    Drawing (writing files, say) cools the caches, so a warm call comes between it and the call that counts.
    """
    fresh = (*side.state, *target.pool.draw())
    side.function(*side.state, *target.pool.take_warm(1)[0])
    return target.meeting.timed(lambda: target.read(side, [fresh])).seconds
