"""A job: one target with everything decided that does not change while it is measured."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from perfproof.core.options import SLOW_SECONDS, Effort
from perfproof.core.units import MiB
from perfproof.pairs.pair import Pair
from perfproof.stats.verdicts import simultaneous_level

# The shortest sample whose timer error is negligible: fine interleaving is the largest single gain. On a CPU two
# readings of the clock are 0.03 % of 0.5 ms; on a GPU the events around a sample take microseconds.
CPU_SAMPLE_SECONDS, GPU_SAMPLE_SECONDS = 0.0005, 0.001
GPU_QUADS = 0.25  # of a CPU's: 15 quads a process, a few more than this, gave half-widths of 0.04 % on an H200
RANKS_QUADS = 0.4  # of one process's: calls of gloo ranks are long; 20 quads instead of 50 widen an interval by 1.4
RANKS_SAMPLE_SECONDS = 0.002  # ranks leave the barrier a few microseconds apart
MOST_FOOTPRINT = 256 * MiB


@dataclass(frozen=True)
class Rung:
    """How the sides are arranged: in one process, or each in a process of its own and driven in turn."""

    name: str
    isolated: bool = False


PLAIN = Rung("plain")
IN_TURN = Rung("in-turn", isolated=True)


@dataclass(frozen=True)
class Job:
    target: str
    source: dict[str, Any]  # what a worker needs to load the code: path, siblings, borrowed, pickled, imports,
    # folders, files, ranks
    arguments: tuple[str, ...]
    constant: tuple[str, ...]
    mutates: tuple[str, ...]
    cold: tuple[str, ...]
    tolerance: dict[str, Any]
    lowers_precision: str
    variants: tuple[str, ...]
    claim: str
    clock: str
    device: str
    sizes: dict[str, Any]
    smoke: dict[str, Any] | None
    threads: int
    cpus: tuple[int, ...]
    footprint: int  # bytes of argument sets that should lie between drawing one and using it
    effort: Effort
    delta: float
    seed: str
    deadline: float  # of time.monotonic(): killed then
    budget_end: float  # of time.monotonic(): no new round after it
    shared: bool = False  # others compute on the GPU, and the person accepts that
    has_cost: bool = True
    has_reference: bool = True  # without one the baseline is the oracle
    warnings: list[tuple[str, str]] = field(default_factory=list)
    mark: Callable[[list[dict]], list[dict]] | None = None  # samples with what telemetry has against them
    answered: Callable[[Sequence[float], float], bool] | None = None  # (units, band): are no more launches needed?
    domain: dict[str, Any] = field(default_factory=dict)
    layout: str = ""
    distribution: bool = False
    rank_cpus: tuple[tuple[int, ...], ...] = ()  # the cores of each rank; none: the pair runs in one process
    comparisons: int = 1  # whose intervals hold together: several pairs behind one gate
    answers_may_differ: bool = False  # between two settings: they change on purpose
    values_may_repeat: bool = False  # from call to call: then no verdict follows, and the result says so
    verified_seconds: dict[str, float] = field(default_factory=dict)  # per call of each side when it was verified
    room: float = 1.0  # how many more processes like the one that verified there was memory for
    slow_end: float = 0.0  # of time.monotonic(): the budget's end where nothing but memory comes after the samples

    @property
    def ranks(self) -> int:
        return max(1, len(self.rank_cpus))

    @property
    def level(self) -> float:
        """The level of each interval: those of all variants and comparisons hold together."""
        return simultaneous_level(variants=len(self.variants) * self.comparisons)

    @property
    def is_slow(self) -> bool:
        """Do calls take seconds? Then a launch has one process, and each side its own, so isolation takes no calls."""
        return sum(self.verified_seconds.values()) > SLOW_SECONDS and self.may_have_one_process

    @property
    def may_have_one_process(self) -> bool:
        """May a launch have one process, if there is no time for two? Not where each has an interpreter of its own."""
        return self.effort.couples == 1 and not self.effort.new_interpreters and self.ranks == 1

    @property
    def backend(self) -> str:
        return "nccl" if self.device.startswith("cuda") else "gloo"

    def rng(self, *what: object) -> random.Random:
        """A generator for one purpose, from the run's secret seed: the same again in a rerun."""
        return random.Random(f"{self.seed}/{self.target}/{'/'.join(map(str, what))}")

    @property
    def sample_seconds(self) -> float:
        if self.ranks > 1:
            return RANKS_SAMPLE_SECONDS
        return GPU_SAMPLE_SECONDS if self.device.startswith("cuda") else CPU_SAMPLE_SECONDS

    @property
    def least_quads(self) -> int:
        return round(self._share * self.effort.quads)

    @property
    def least_seconds(self) -> float:
        return self._share * self.effort.seconds

    @property
    def _share(self) -> float:
        """A GPU's samples are quieter than a CPU's, and its processes, as those of ranks, take longer to begin."""
        if self.device.startswith("cuda"):
            return GPU_QUADS
        return RANKS_QUADS if self.ranks > 1 else 1.0

    @property
    def spec(self) -> dict[str, Any]:
        return {
            **self.source,
            "arguments": list(self.arguments),
            "constant": list(self.constant),
            "mutates": list(self.mutates),
            "cold": list(self.cold),
            "tolerance": self.tolerance,
            "lowers_precision": self.lowers_precision,
            "domain": self.domain,
            "layout": self.layout,
            "distribution": self.distribution,
            "device": self.device,
            "has_reference": self.has_reference,
            "values_may_repeat": self.values_may_repeat,
            "constants_seed": self.rng("constants").getrandbits(62),
        }


def source_of(pair: Pair) -> dict[str, Any]:
    siblings = {stem: str(path) for stem, path in pair.siblings.items()}
    return {
        "path": str(pair.path),
        "siblings": siblings,
        "borrowed": dict(pair.borrowed),
        "pickled": "",
        "constants": pair.makes_constants,
        "imports": list(pair.imports),
        "folders": [str(folder) for folder in pair.folders],
        "files": {name: str(path) for name, path in pair.files.items()},
        "ranks": pair.ranks,
    }
