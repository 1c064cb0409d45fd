"""Is anything worked out before the call that is timed? A call on values from elsewhere shows what that spares.

Every timed call sees values for the first time, so an answer cannot be kept from an earlier one. What is left is a
side that gets hold of the next values and works while it is not timed, and an `inputs` that leaves more behind than
the arguments. So values are drawn in another process, where a side finds nothing of either.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from perfproof.stats.quads import TWIN
from perfproof.worker.drawn_elsewhere import ROUNDS, SECONDS
from perfproof.worker.load import Side
from perfproof.worker.measure.run_queue import waited_for_a_core
from perfproof.worker.sampler import LONG_CALL_SECONDS, Sampler

# A single call beyond this many times the timed one, and so much more, did what the timed one was spared.
TIMES, SLACK, USUAL = 1.5, 10e-6, 1.5
LEAST_SHARE = 0.01  # of a call: what is left of it if two readings of the scheduler lie apart
UNEVEN_TIMES = 3.0  # ranks: few of their calls fit into the time, and the fastest of few is not the fastest of all


@dataclass
class Memory:
    """Per round: seconds per call of a sample as it is timed, and of one call on values from elsewhere.

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
    seconds = f"{median(own.fresh) * 1e6:.3g} µs per call on values that were not there before, "
    return f"{name} takes {seconds}{median(own.timed) * 1e6:.3g} µs when timed: do all the work in every call"


def look_for_memories(sampler: Sampler, sets: Sequence[bytes], last: bool) -> bool:
    """One look; is another one wanted? A cheat is one in every look, and a machine that was held up is not.

    `sets` were drawn in another process; without any, values are drawn right before the call. On a GPU the queue is
    held for single calls as for timed ones: neither waits for the host.
    """
    if sampler.pair.cold:
        return False
    with sampler.aside("call", primed=sampler.pair.device != "cpu" and not sampler.pair.meeting.several):
        try:
            found = _memories(sampler, sets)
            problems = {name: remembered_problem(name, found) for name in found}
        except _Lost as error:
            problems, last = {error.side: str(error)}, True
    if any(problems.values()) and not last:
        return True
    for problem in problems.values():
        sampler.pair.findings.note("nothing remembered", problem)
    return False


class _Lost(Exception):
    """A side cannot work on values that another process drew."""

    def __init__(self, side: str, error: Exception):
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        super().__init__(f"{side} fails on values that another process drew ({what}): it may only use its arguments")
        self.side = side


def _memories(sampler: Sampler, sets: Sequence[bytes]) -> dict[str, Memory]:
    """Each side in turn: a sample as it is timed, then a single call on values that were not there before."""
    sides = {name: side for name, side in sampler.pair.sides.items() if name != TWIN}
    found = {name: Memory(uneven=sampler.pair.meeting.several) for name in sides}
    spent, most = 0.0, SECONDS / max(1.0, sampler.pool_seconds / min(sampler.call_seconds.values()))
    for number in range(len(sets) or ROUNDS):
        for name, side in sides.items():
            length = max(1, round(sampler.sample_like / sampler.call_seconds[name]))
            row = sampler.sample(side, length)
            found[name].timed.append(_undelayed(sampler, row.seconds, row.delayed_seconds, row.foreign_seconds, length))
            found[name].fresh.append(_fresh_seconds(sampler, side, sets[number] if sets else b""))
            spent += found[name].timed[-1] * length + found[name].fresh[-1]
        if spent > most:
            break
    return found


def _fresh_seconds(sampler: Sampler, side: Side, packed: bytes) -> float:
    """One call on these values, or on values drawn right before it.

    Drawing (writing files, say) cools the caches, so a warm call comes between it and the call that counts, unless a
    call takes so long that they do not matter.
    """
    fresh = (*side.state, *(sampler.pool.unpacked(packed) if packed else sampler.pool.draw()))
    if sampler.call_seconds[side.name] < LONG_CALL_SECONDS:
        side.function(*side.state, *sampler.pool.take_warm(1)[0])
    before, beside = waited_for_a_core(), sampler.foreign()
    try:
        seconds = sampler.pair.meeting.timed(lambda: sampler.read(side, [fresh])).seconds
    except Exception as error:
        if not packed:
            raise
        raise _Lost(side.name, error) from error
    after, beside = waited_for_a_core(), sampler.foreign() - beside
    return _undelayed(sampler, seconds, None if before is None or after is None else after - before, beside, 1)


def _undelayed(sampler: Sampler, seconds: float, delayed: float | None, beside: float, calls: int) -> float:
    """Seconds per call without those that the thread waited for a core, on a busy machine most of a call.

    Threads of the side's own that ran `beside` it may have had that core: such a wait is part of the call. A GPU's
    calls are read by its events, and a call on ranks ends with the slowest of them.
    """
    if delayed is None or sampler.pair.device != "cpu" or sampler.pair.meeting.several:
        return seconds
    return max(seconds - max(0.0, delayed - beside) / calls, LEAST_SHARE * seconds)
