"""A roofline as it is printed with --json: roofs, kernels, and what is wrong with them.

A *roof* is a limit of the machine, with where its value comes from. A *kernel* is a point: what is known of it, what
could not be read ("unknown"), and where it stands under the roofs. Times are in seconds and summed over launches.
"""

from typing import ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document

Basis = Literal["measured", "sheet", "derived"]
Source = Literal["model", "counters", "metadata", "counters+metadata"]
MEMORY_LEVELS = ("DRAM", "L2", "shared memory")  # outermost first


class Roof(Document):
    """One limit. `share` is the unit of a resource whose only scale is its own peak."""

    name: str = Field(description="DRAM, L2, shared memory; bf16, fp32, ...; TMEM, shared-memory feed")
    kind: Literal["memory", "compute", "feed"]
    value: float
    unit: Literal["bytes/s", "flop/s", "share"]
    basis: Basis
    source: str = Field(description="the ceiling's name, the sheet, or the formula it is derived by")


class Limit(Document):
    """How much of the time one roof explains: 1 is on the roof, above 1 is impossible."""

    roof: str
    share: float


class Kernel(Document):
    """One point."""

    name: str
    label: str = Field(description="short enough for a legend")
    source: Source
    group: str = Field("", description="points of one target: an arrow leads from its baseline to each variant")
    variant: str = ""
    launches: int = 1
    seconds: float | None = None
    share_of_time: float | None = Field(None, description="of all kernels; sides of a pair are no parts of one program")
    flops: float | None = None
    work: dict[str, float] = Field(default_factory=dict, description="operations by dtype; '' where it is not known")
    bytes: dict[str, float] = Field(default_factory=dict, description="by memory level")
    feed_bytes: float | None = Field(None, description="operands that the tensor cores took from their feed")
    used: dict[str, float] = Field(default_factory=dict, description="share of its peak that a counter gave")
    clock_hz: float | None = Field(None, description="of the SMs while the kernel ran")
    capability: str = Field("", description="9.0, 10.0: decides what feeds the tensor cores")
    achieved: float | None = Field(None, description="flop/s")
    achieved_low: float | None = Field(None, description="of the launches")
    achieved_high: float | None = None
    intensity: dict[str, float] = Field(default_factory=dict, description="flop per byte, by memory level")
    limits: list[Limit] = Field(default_factory=list, description="the most used first")
    limited_by: str = ""
    of_roof: float | None = Field(None, description="share of what the lowest roof above it allows")
    attainable: float | None = Field(None, description="flop/s under the lowest roof")
    shares: dict[str, float] = Field(default_factory=dict, description="of the dual roofline's resources")
    binding: str = Field("", description="the dual roofline's verdict: a resource, or undetermined")
    binding_why: str = ""
    unknown: dict[str, str] = Field(default_factory=dict, description="what -> why")
    notes: list[str] = Field(default_factory=list)


class Finding(Document):
    """An error is a number that cannot be true; a warning limits what can be read from the picture."""

    level: Literal["error", "warning"]
    kernel: str = ""
    text: str


class Roofline(Document):
    schema_name: ClassVar[str] = "roofline"

    schema_version: int = 1
    perfproof_version: str
    made: str = Field(description="when, in UTC")
    command: list[str] = Field(default_factory=list)
    inputs: list[str] = Field(default_factory=list)
    machine: str = Field("", description="whose roofs these are")
    tolerance: float = Field(description="a point above a roof by more than this share is an error")
    roofs: list[Roof] = Field(default_factory=list)
    kernels: list[Kernel] = Field(default_factory=list, description="longest first")
    not_shown: dict[str, str] = Field(default_factory=dict, description="kernel -> why it has no place")
    findings: list[Finding] = Field(default_factory=list)
