"""A diagnosis as it is stored: what holds a program back, ranked by what could be saved, with the evidence for each.

A *finding* names a bottleneck; its share is an upper bound (Amdahl: what would go if the cause went entirely). A rule
that lacks an input *abstains* and names it: that is not health. A finding that makes other numbers doubtful (a
throttled clock, a profiler that slowed the program) *poisons* them: their confidence is lowered, the reason kept.
"""

from typing import ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document

Confidence = Literal["low", "medium", "high"]
ShareOf = Literal["step", "profiled kernels"]
CONFIDENCES: tuple[Confidence, ...] = ("low", "medium", "high")  # weakest first


class Proof(Document):
    """One line of evidence: a sentence with its numbers, and where in which file they are."""

    text: str
    place: str = Field("", description="file, rank, device, operator, line, or milliseconds of the trace")
    values: dict[str, float] = Field(default_factory=dict, description="the numbers of the sentence, in base units")


class Finding(Document):
    """One named bottleneck."""

    rule: str = Field(description="the name of the rule's file")
    title: str
    confidence: Confidence
    evidence: list[Proof] = Field(min_length=1)
    share: float | None = Field(None, ge=0, le=1, description="upper bound of what could be saved; None: not known")
    share_of: ShareOf = "step"
    advice: str = Field(description="what to change, in a sentence")
    experiment: str = Field(pattern="^perfproof ", description="the next experiment, as a command")
    refuted_by: str = Field(description="what observation would show that this is wrong")
    basis: Literal["durations", "counters", "facts"] = Field(
        "durations", description="what it rests on: a profiler that slows the program spoils durations"
    )
    parts: dict[str, float] = Field(
        default_factory=dict, description="rule -> how much of `share` is that rule's, should it have a finding too"
    )
    poisons: Literal["", "durations", "all"] = Field("", description="which other findings it makes doubtful")


class Abstained(Document):
    """A rule that could not look."""

    rule: str
    missing: str = Field(description="the input that it needs, and how to get it")


class Downgraded(Document):
    rule: str
    by: str = Field(description="the rule whose finding lowered it")
    was: Confidence
    now: Confidence
    reason: str


class Input(Document):
    """A file that was looked at."""

    path: str
    what: str = Field(description="trace, counters, telemetry, memory, stacks, compile log, ceilings; or left out: why")
    rank: int | None = None


class OperatorWork(Document):
    """Matrix products of one operator, shape and type in a step."""

    name: str
    shapes: str
    dtype: str
    calls: float = Field(description="per step")
    flops: float = Field(description="per step")


class StepWork(Document):
    """What a steady step computes, counted from the shapes that were recorded."""

    flops: float = Field(description="of matrix products, per step")
    mfu: float | None = Field(None, description="share of the peak of the devices in use, at least; None: see `basis`")
    basis: str = Field(description="whose peak: measured, or a data sheet; or why there is none")
    operators: list[OperatorWork] = Field(default_factory=list, description="the most operations first")
    uncounted: list[str] = Field(default_factory=list, description="operators that compute and were not counted")


class Steps(Document):
    """What was taken as the program's steady state."""

    rank: int | None = None
    source: str = Field(description="where the steps come from")
    found: int
    used: int = Field(description="without the first and the last, where there are enough")
    mean_seconds: float | None = None
    startup_seconds: float | None = Field(None, description="the program's start, which was left out; None: not in it")
    work: StepWork | None = Field(None, description="None: no matrix product with shapes (record_shapes=True)")


class Diagnosis(Document):
    schema_name: ClassVar[str] = "diagnosis"

    schema_version: int = 1
    perfproof_version: str
    made: str = Field(description="when, in UTC")
    command: list[str] = Field(default_factory=list)
    inputs: list[Input] = Field(default_factory=list)
    steps: list[Steps] = Field(default_factory=list)
    unprofiled_step_seconds: float | None = None
    findings: list[Finding] = Field(default_factory=list, description="the most to save first; poisoning ones lead")
    abstained: list[Abstained] = Field(default_factory=list)
    downgraded: list[Downgraded] = Field(default_factory=list)
    silent: list[str] = Field(default_factory=list, description="rules that looked and found nothing")
    warnings: list[str] = Field(default_factory=list, description="what the readers said about the files")
