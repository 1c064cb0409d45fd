"""What a triage bundle stores: its manifest, the runs of the command, and the table of resources.

`manifest.json` is a `TriageManifest`, `parsed/timing.json` a `TriageTiming`, `parsed/use.json` a `UseTable`. A reading
that could not be had is "unknown: why"; a step that could not be taken has a status and a reason.
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document

SCHEMA_VERSION = 1

Status = Literal["ok", "absent", "denied", "timed out", "failed", "not run"]
Number = float | str | None


class TriageCommand(Document):
    """One thing that was asked: a program with its arguments, or a file that was read (`read`, its path)."""

    arguments: list[str]
    status: Status
    exit_code: int | None = None
    seconds: float = 0.0
    why: str = ""
    output: str = Field("", description="what it said, relative to the bundle; empty where it said nothing")


class TriageStep(Document):
    name: str
    purpose: str = ""
    status: Status
    why: str = ""
    deadline_seconds: float
    seconds: float = 0.0
    parsed: str = Field("", description="what was understood, relative to the bundle")
    commands: list[TriageCommand] = Field(default_factory=list)


class TriageFile(Document):
    path: str
    bytes: int
    sha256: str


class TriageManifest(Document):
    schema_name: ClassVar[str] = "triage"

    schema_version: int = SCHEMA_VERSION
    perfproof_version: str
    name: str
    tag: str = ""
    state: Literal["finished", "interrupted"] = "finished"
    started: str
    finished: str = ""
    seconds: float = 0.0
    options: dict[str, Any] = Field(default_factory=dict)
    command: list[str] = Field(default_factory=list, description="of the user; empty: snapshots only")
    goal: str = Field("", description="from the intake file")
    kpi: str = Field("", description="from the intake file")
    steps: list[TriageStep] = Field(default_factory=list)
    redacted: bool = True
    redactions: dict[str, int] = Field(default_factory=dict, description="how many of each kind were replaced")
    left_out: dict[str, str] = Field(default_factory=dict, description="file -> why it is not in the bundle")
    files: list[TriageFile] = Field(default_factory=list, description="everything else in the bundle")

    def step(self, name: str) -> TriageStep | None:
        return next((step for step in self.steps if step.name == name), None)


class TriageRun(Document):
    """The command once, with no profiler around it."""

    seconds: float
    cpu_seconds: float = Field(description="user and system, of the program and every child that it waited for")
    peak_bytes: int | None = Field(None, description="of the largest process; None: too small to be told")
    exit_code: int | None = Field(None, description="negative: killed by that signal")
    late: bool = Field(False, description="ended by us at its time limit")
    left_behind: int = Field(0, description="processes that outlived it, and were ended")
    output_bytes: int = 0
    output_left_out_bytes: int = Field(0, description="beyond --max-size")
    metrics: dict[str, float] = Field(default_factory=dict, description="that the command reported")
    metrics_missing: dict[str, str] = Field(default_factory=dict)
    readings: dict[str, float] = Field(default_factory=dict, description="telemetry while it ran, means over the run")
    startup_seconds: float | None = Field(None, description="until a GPU was busy for the first time; None: not known")
    last_lines: list[str] = Field(
        default_factory=list, description="of what a failing run said: its error, then its end"
    )
    energy_joules: dict[str, float] = Field(default_factory=dict, description="by source, from counters")


class TriageTiming(Document):
    schema_name: ClassVar[str] = "triage-timing"

    schema_version: int = SCHEMA_VERSION
    command: list[str]
    better: dict[str, Literal["higher", "lower"]] = Field(default_factory=dict, description="of each metric")
    runs: list[TriageRun] = Field(default_factory=list)
    throttled: int = Field(0, description="stretches in which a GPU was slowed by heat or hardware")
    telemetry: str = Field("", description="the file of all readings, or unknown: why")
    unknown: dict[str, str] = Field(default_factory=dict, description="readings that could not be had")


class UseRow(Document):
    """A resource: how busy it is, how much waits for it, what went wrong with it."""

    resource: str
    utilisation: Number = Field(description="share of its time or room, 0 to 1")
    saturation: Number = Field(description="in words of its own: see `waits`")
    errors: Number = Field(description="a count; see `faults`")
    waits: str = Field("", description="what saturation counts")
    faults: str = Field("", description="what errors counts")
    warning: str = ""


class UseTable(Document):
    schema_name: ClassVar[str] = "triage-use"

    schema_version: int = SCHEMA_VERSION
    seconds: float = Field(description="that the readings are apart")
    rows: list[UseRow]
