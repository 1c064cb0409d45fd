"""Telemetry as it is stored: the header of a telemetry file, and the summary of a stretch of it.

A telemetry file is JSON lines. The first is a `TelemetryHeader`; every other is a row,
`[group, microseconds since start_ns, value, ...]`, with the values in the order of that group's columns and null where
one could not be read. A file that ends in the middle of a line is good up to there.
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document


class TelemetryColumn(Document):
    name: str
    kind: Literal["gauge", "counter", "mask"]
    unit: str = ""
    about: str = ""
    rate: str = Field("", description="of a counter: the name under which its change a second is shown")
    rate_unit: str = ""


class TelemetryGroup(Document):
    source: str = Field(description="gpu0, gpu1, ..., host")
    columns: list[TelemetryColumn]


class TelemetryHeader(Document):
    schema_name: ClassVar[str] = "telemetry"

    schema_version: int = 1
    clock: str = Field(description="of all times; samples of a run carry times of the same clock")
    start_ns: int = Field(description="what the times of rows count from")
    started: str = Field(description="the same moment in UTC")
    hz: float
    cpus: int | None = Field(None, description="of the whole host: what cpus_in_use can reach")
    gpus: list[dict[str, Any]] = Field(default_factory=list)
    groups: list[TelemetryGroup]
    unknown: dict[str, str] = Field(default_factory=dict, description="what is not sampled, and why")


class Spread(Document):
    """A reading over a stretch of time."""

    median: float
    low: float
    high: float
    unit: str = ""
    readings: int
    mean: float | None = Field(None, description="each reading by the time since the one before; null in older files")


class Energy(Document):
    joules: float
    watts: float = Field(description="mean over `seconds`")
    seconds: float = Field(description="between the counter's first and last reading")


class Throttling(Document):
    source: str
    start_ns: int
    end_ns: int
    reason: str


class TelemetrySummary(Document):
    schema_name: ClassVar[str] = "telemetry-summary"

    schema_version: int = 1
    start_ns: int
    end_ns: int
    seconds: float
    readings: dict[str, Spread] = Field(default_factory=dict, description="by source and name: gpu0.sm_mhz")
    energy: dict[str, Energy] = Field(default_factory=dict, description="by source")
    throttled: list[Throttling] = Field(default_factory=list, description="slowed by heat or by the hardware")
    power_limited: dict[str, float] = Field(
        default_factory=dict, description="share of readings at the power limit: a property of the work, not a fault"
    )
    unknown: dict[str, str] = Field(default_factory=dict)
    command: list[str] = Field(default_factory=list, description="what ran meanwhile, where `monitor` started it")
    exit_code: int | None = Field(None, description="of that command")
