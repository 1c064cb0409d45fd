"""What a process finds out about its samples afterwards: did something run beside them, was anything remembered?"""

from dataclasses import dataclass, field
from statistics import median

BESIDE_SECONDS, BESIDE_SHARE, BESIDE_TIMES, BESIDE_TRIES = 0.010, 0.02, 1.25, 5
CUT_SHORT = 3  # samples of each side that end where no sample does, in the first process; one in the others
FRESH_ROUNDS, FRESH_SECONDS, FRESH_TRIES = 31, 0.3, 3
# A single call beyond this many times the timed one, and so much more, did what the timed one was spared.
FRESH_TIMES, FRESH_SLACK, FRESH_USUAL = 1.5, 10e-6, 1.5
UNEVEN_TIMES = 3.0  # of ranks: few of their calls fit into the time, and the fastest of few is not the fastest of all


@dataclass
class Taken:
    """What the samples of one side took."""

    calls: list[float] = field(default_factory=list)  # seconds a call, one for each sample
    lengths: list[int] = field(default_factory=list)  # calls in a sample
    seconds: float = 0.0
    own: float = 0.0  # CPU seconds of the calling thread
    foreign: float = 0.0  # CPU seconds of other threads meanwhile

    def add(self, seconds: float, calls: int, own: float, foreign: float) -> None:
        self.calls.append(seconds / calls)
        self.lengths.append(calls)
        self.seconds += seconds
        self.own += own
        self.foreign += foreign

    @property
    def call_seconds(self) -> float:
        return median(self.calls)

    @property
    def usual_length(self) -> int:
        return max(1, round(median(self.lengths)))

    @property
    def foreign_share(self) -> float:
        """Of the CPU time that the process used: on a machine that is busy elsewhere it is the same."""
        return self.foreign / max(1e-9, self.own + self.foreign)


def beside_problem(name: str, timed: Taken, alone: Taken) -> str:
    """Threads that run while a side is timed and not when it is alone were left behind by another side."""
    if timed.foreign_share <= BESIDE_TIMES * alone.foreign_share + BESIDE_SHARE:
        return ""
    shares = f"{timed.foreign_share:.0%} of its CPU time, alone for {alone.foreign_share:.0%}"
    return f"{name}: other threads ran for {shares}: join what was started"


@dataclass
class Memory:
    """Of each round the seconds of a call as it is timed, and of a single one on values that nobody could know before.

    The two of a round are neighbours in time, so that what holds the machine up for a while holds up both.
    """

    timed: list[float] = field(default_factory=list)
    fresh: list[float] = field(default_factory=list)
    uneven: bool = False  # of ranks: a call takes as long as the system holds up the last of many threads

    @property
    def times(self) -> float:
        if self.uneven:  # who remembers is fast only then, never on fresh values
            return min(self.fresh) / min(self.timed)
        return median(fresh / timed for fresh, timed in zip(self.fresh, self.timed, strict=True))


def remembered_problem(name: str, found: dict[str, Memory]) -> str:
    """A single call is a little slower for everybody; the baseline says how much."""
    own = found[name]
    usual = max(1.0, found["baseline"].times) if "baseline" in found else FRESH_USUAL
    times = UNEVEN_TIMES if own.uneven else FRESH_TIMES
    if own.times <= times * usual + FRESH_SLACK / median(own.timed):
        return ""
    seconds = f"{median(own.fresh) * 1e6:.3g} µs a call on values made just before it, {median(own.timed) * 1e6:.3g} µs"
    return f"{name} takes {seconds} when timed: do all the work in every call"
