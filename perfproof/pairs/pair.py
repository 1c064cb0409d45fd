"""What a pair file declares, as one value. Read from the syntax tree: no torch, no code of the pair is run."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Pair:
    path: Path  # absolute
    name: str  # "ch01:batched_gemm", "labs/moe:step_02_sorted"; a user's file: its path as given, without ".py"
    chapter: str  # "ch01", "labs/moe", or the folder's name for a user's file
    lesson: str  # first line of the docstring
    explanation: str  # the rest of it
    arguments: tuple[
        str, ...
    ]  # names of the arguments, as `reference` (or, where it is borrowed, `baseline`) names them
    workload: dict[str, Any]
    workload_cpu: dict[str, Any] | None
    smoke: dict[str, Any] | None
    sweep: dict[str, list[Any]] | None
    variants: tuple[str, ...]  # "optimized", "optimized_tiled", ... in the order of the file
    prepares: tuple[str, ...]  # the variants, and "baseline", that have a prepare_<variant>
    makes_constants: bool  # has `constants`, beside which `inputs` returns the other arguments
    borrowed: dict[str, str]  # name -> sibling stem, for baseline, inputs, reference or tolerance given as a string
    constant: tuple[str, ...]
    mutates: tuple[str, ...]
    cold: tuple[str, ...]
    tolerance: dict[str, Any]  # {"rtol": .., "atol": ..} or keyed by dtype name; {} if borrowed
    lowers_precision: str  # the format that variants compute in, or ""
    domain: dict[str, Any]  # by argument: (low, high), or "drawn"
    layout: str  # "any" if variants may return other strides than the baseline, or ""
    distribution: bool  # results are samples, and their distribution is compared
    tier: str
    claim: str  # "time", "memory", "energy", "startup"
    clock: str  # "call", "kernel", "latency"
    needs: dict[str, Any]
    ranks: int
    tour: bool
    menu: tuple[str, ...]
    counters: tuple[str, ...]
    imports: tuple[str, ...]  # top-level packages that the file imports, and those of the project's that it imports
    optional: tuple[str, ...]  # of those, what the file can do without
    source_sha256: str  # of the file, of the project's modules that it imports, and of its .cu and what that includes
    code_sha256: str  # the same without the file's opening words
    siblings: dict[str, Path] = field(default_factory=dict)  # stem -> file, for what is borrowed
    kernel_files: tuple[Path, ...] = ()  # the .cu beside it and its local includes, those of siblings too
    folders: tuple[Path, ...] = ()  # of the project around it, from which its own modules are imported
    modules: dict[str, Path] = field(default_factory=dict)  # of the project that it imports: dotted name -> file
    files: dict[str, Path] = field(default_factory=dict)  # of the project, by the relative path that the pair reads
    has_reference: bool = True  # without one the baseline is the oracle
    has_cost: bool = True
    own: bool = False  # a file of the user's: only inputs, baseline and a variant are required
    computes_in: dict[str, str] = field(default_factory=dict)  # side -> the lower format that it declares to compute in
    left_out: tuple[str, ...] = ()  # what such a file does not declare, each with what follows from it
    reasonless: tuple[str, ...] = ()  # declarations that loosen a check there, and say not why

    @property
    def sides(self) -> tuple[str, ...]:
        """The baseline and every variant."""
        return ("baseline", *self.variants)


@dataclass(frozen=True)
class Broken:
    """A file in a pair's place that breaks the contract: listed with its reason, never silently dropped."""

    path: Path
    name: str
    chapter: str
    error: str  # one line: file, what is wrong, what to write


@dataclass(frozen=True)
class Availability:
    """Whether a pair can run here: timed, only verified at its smoke sizes, or not at all, and why not."""

    timed: bool
    verified: bool
    reason: str = ""
