"""An A/B of two programs, or one program alone: the plan, and what it has in hand while it runs."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from perfproof.bench.programs.done_work import DoneWork
from perfproof.bench.programs.metrics import Metric
from perfproof.bench.programs.program import Program, Spawner
from perfproof.bench.programs.trials import B, Trials
from perfproof.core.options import EffortName
from perfproof.stats.quads import BASELINE
from perfproof.stats.units import LEVEL


@dataclass(frozen=True)
class ProgramPlan:
    """Everything decided about an A/B of programs before it starts."""

    name: str
    a: Program
    b: Program | None  # None: a is timed without another beside it
    prepare: Program | None = None
    metrics: tuple[Metric, ...] = ()
    judged: str = "wall"
    warmup: int = 1
    timeout: float = 300.0  # seconds, each run
    effort: EffortName = "standard"
    delta: float = 0.01
    level: float = LEVEL  # of the interval; higher if it is one of several comparisons
    budget: float | None = None
    ignore_exit: bool = False
    seed: str = ""
    warnings: tuple[tuple[str, str], ...] = ()
    outputs: str = "outputs"  # folder of what the programs print, in that of the run

    @property
    def sides(self) -> tuple[str, ...]:
        return (BASELINE,) if self.b is None else (BASELINE, B)


@dataclass
class Session:
    """What one comparison has in hand while it runs."""

    plan: ProgramPlan
    spawner: Spawner
    trials: Trials
    orders: Iterator[str]
    rng: random.Random
    files: dict[str, str] = field(default_factory=dict)
    exits: dict[str, set[int]] = field(default_factory=dict)
    outputs: dict[str, set[str]] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    work: dict[str, DoneWork] = field(default_factory=lambda: {"a": DoneWork(), "b": DoneWork()})
    floor_seconds: float = 0.0
    floor_bytes: int = 0
    quads: int = 0
    groups: int = 0
    out_of_budget: bool = False
    whole_blocks: int = 0  # that were measured to their end
    interrupted: bool = False
