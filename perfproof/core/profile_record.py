"""What one use of `perfproof profile` recorded, as `profile.json` stores it beside the profilers' raw files.

A capture is one run of one profiler: of a command, or of one variant of a pair. Times are in seconds. What was not
recorded is in `unknown` with the reason; it is never a zero.
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document

CaptureStatus = Literal["ok", "absent", "denied", "timeout", "failed"]
Change = Literal["same", "changed", "gone", "added"]


class DroppedFlag(Document):
    """An option that the installed tool does not take."""

    argument: str
    why: str


class ProfileFile(Document):
    name: str = Field(description="inside the profile's folder")
    bytes: int
    sha256: str


class Portion(Document):
    """What one kernel, copy, operator or stack frame took, over all its launches in the capture."""

    kind: Literal["kernel", "copy", "fill", "operator", "frame", "call", "function", "no operator"]
    name: str = Field(description="without the arguments of templates and of the function")
    template: str = Field("", description="the arguments of templates, kept apart")
    grid: str = ""
    block: str = ""
    launches: float = Field(description="a call of the variant; of a command, and of a frame (its samples), in all")
    seconds: float | None = Field(None, description="a call; an operator's without those it calls")
    share: float | None = Field(None, description="of all samples, of a frame or function that is compared")
    counters: dict[str, float] = Field(default_factory=dict, description="of one launch, the mean over launches")
    unknown: dict[str, str] = Field(default_factory=dict)


class Capture(Document):
    """One run under one profiler."""

    variant: str = Field("", description="baseline, optimized, ...; empty for a command")
    tool: str
    version: str = ""
    command: list[str] = Field(default_factory=list, description="as it was started")
    environment: dict[str, str] = Field(default_factory=dict, description="what was set beyond the caller's own")
    status: CaptureStatus
    why: str = Field("", description="of a status that is not ok")
    fix: str = Field("", description="the line that would make it work, where there is one")
    exit_code: int | None = Field(None, description="of the command; another than 0 is a capture that failed")
    seconds: float = 0.0
    calls: int | None = Field(None, description="steady calls that were captured")
    call_seconds: float | None = Field(None, description="a steady call before the profiler was on")
    profiled_call_seconds: float | None = Field(None, description="a steady call while it was on: its price")
    recorded: list[str] = Field(default_factory=list, description="what the preset records")
    metrics: list[str] = Field(default_factory=list)
    passes: str = Field("", description="replays of every kernel, as announced before it ran")
    passes_seen: list[int] = Field(default_factory=list, description="as ncu printed them")
    dropped: list[DroppedFlag] = Field(default_factory=list)
    left: int = Field(0, description="processes that outlived the command, and were ended")
    files: list[ProfileFile] = Field(default_factory=list)
    main_files: list[str] = Field(default_factory=list, description="the files to diagnose: of ranks, one each")
    portions: list[Portion] = Field(default_factory=list, description="largest first")
    found: dict[str, Any] = Field(default_factory=dict, description="what a reader of this tool's output made of it")
    unknown: dict[str, str] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)


class Difference(Document):
    """One kernel or operator in two captures, joined by its identity."""

    change: Change
    kind: str
    name: str
    what: str = Field("", description="what else differs: template, grid, block")
    before: Portion | None = None
    after: Portion | None = None


class VariantDifference(Document):
    before: str
    after: str
    rows: list[Difference] = Field(default_factory=list)
    refused: str = Field("", description="why the two were not compared")


OTHERS_RAN = "other programs used"  # how the note of a capture begins that was taken on a busy machine


class ProfileRecord(Document):
    schema_name: ClassVar[str] = "profile"

    schema_version: int = 1
    perfproof_version: str
    started: str = Field(description="in UTC")
    target: str = Field("", description="of a pair")
    run: str = Field("", description="the run that measured the pair just before, with `run --profile`")
    program: list[str] = Field(default_factory=list, description="the user's command, where it was one")
    device: str = ""
    sizes: dict[str, Any] = Field(default_factory=dict)
    asked_tool: str
    tool: str
    stands_in_for: str = Field("", description="the tool that would have been used, and why it was not")
    preset: str
    captures: list[Capture] = Field(default_factory=list)
    differences: list[VariantDifference] = Field(default_factory=list)
