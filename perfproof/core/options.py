"""The options of a run: one frozen value, built once at the edge, stored in the run's document."""

from dataclasses import dataclass, field
from typing import Literal

EffortName = Literal["quick", "standard", "final"]


@dataclass(frozen=True)
class Effort:
    """How much is measured before a verdict is given."""

    name: EffortName
    launches: int  # units of replication to start with
    most_launches: int  # where stopping on width gives up
    couples: int  # couples of forks for each launch
    quads: int  # quads of samples in each process, A/A′ included, where calls are long
    most_quads: int  # where they are short: until `seconds` of samples are taken
    seconds: float  # of samples in each process, where calls are short enough for it
    new_interpreters: bool  # start an interpreter for each launch instead of forking warm parents
    patience: float = float("inf")  # seconds of measuring after which no launch beyond `launches` is begun


# A couple is two forks with the slots swapped; a quad is four samples, so 50 quads are 100 pairs.
EFFORTS: dict[str, Effort] = {
    "quick": Effort("quick", 1, 1, couples=5, quads=50, most_quads=200, seconds=0.15, new_interpreters=False),
    "standard": Effort("standard", 8, 15, 1, 50, most_quads=240, seconds=0.28, new_interpreters=False, patience=25.0),
    "final": Effort("final", 20, 20, couples=1, quads=100, most_quads=600, seconds=0.6, new_interpreters=True),
}


@dataclass(frozen=True)
class ProgramEffort:
    """How many blocks of runs an A/B of two programs takes."""

    least: int  # blocks
    most: int
    block_seconds: float  # of quads in a block, where a quad is shorter
    most_quads: int = 10


PROGRAM_EFFORTS = {
    "quick": ProgramEffort(5, 5, 0.5),
    "standard": ProgramEffort(8, 32, 1.0),
    "final": ProgramEffort(40, 40, 2.0),
}


SHARED = "W122"  # in `allow`: others may compute on the GPU
SAMPLING_SHARE = 0.6  # of a target's --timeout: what is left is for its isolation test, memory and energy
SLOW_SECONDS = 1.0  # of a call of every side: each call counts then
SLOW_SHARE = 0.9  # the same where calls take seconds: each side has a process of its own, and memory takes one call


@dataclass(frozen=True)
class RunOptions:
    targets: tuple[str, ...] = ()  # as the user wrote them; empty = the tour
    keyword: str | None = None
    effort: EffortName = "standard"
    budget: float | None = None  # seconds for the whole run
    timeout: float = 300.0  # seconds for a target
    fast: bool = False  # smoke sizes, and quick effort whatever `effort` was given
    sizes: dict[str, dict[str, object]] = field(default_factory=dict)  # target name -> overridden sizes
    device: str | None = None  # "cpu", "cuda", "cuda:1"; None = the GPU if there is one
    delta: float = 0.01  # below this a difference does not matter
    threads: int | None = None  # CPU threads of a worker; None = all physical cores but one
    seed: str | None = None  # hexadecimal; None = drawn for this run
    variants: tuple[str, ...] = ()  # only these variants; empty = all
    allow: tuple[str, ...] = ()  # codes of warnings about the machine that do not refuse a final run
    artifacts_dir: str = "artifacts"
    telemetry: bool = True  # sample clocks, power and the host beside the run
    sanitize: bool = False  # also call every side under compute-sanitizer

    def __post_init__(self) -> None:
        """What is stored is what is run: a run at smoke sizes does not call itself final."""
        if self.fast:
            object.__setattr__(self, "effort", "quick")
