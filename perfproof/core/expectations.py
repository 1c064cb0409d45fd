"""What a machine kind was measured to do: for each target the list of its measuring days, kept in git.

Nothing in it is a best value: every day that a person recorded stays, gains and losses alike, until it is pruned.
"""

from typing import Any, ClassVar

from pydantic import Field

from perfproof.core.documents import Document

EXPECTATIONS_VERSION = 1


class DayRatio(Document):
    """One variant against the baseline, as a run found it on one day."""

    verdict: str
    ratio: float
    low: float | None = None
    high: float | None = None
    level: float = 0.97
    claim: str = "time"
    clock: str = "call"
    theta: float = Field(description="log of the ratio: mean over units")
    error: float = Field(description="standard error of theta over units; 0 where every process agreed exactly")
    units: int = Field(description="launches (couples of one launch at quick effort)")


class DayTime(Document):
    """Seconds a call of one side, with the standard error of its log over launches where samples were kept."""

    seconds: float
    error: float | None = None
    units: int = 0


class Day(Document):
    """One target in one run."""

    run: str
    date: str = Field(description="when the run started, in UTC")
    commit: str
    fingerprint: str
    qualified: bool = Field(description="only such days are held against later runs")
    why_not: str = ""
    message: str = Field(description="why the person who recorded it did so")
    effort: str = "standard"
    sizes: dict[str, Any] = Field(default_factory=dict)
    source_sha256: str = ""
    ratios: dict[str, DayRatio] = Field(default_factory=dict)
    times: dict[str, DayTime] = Field(default_factory=dict)
    ceilings: dict[str, float] = Field(default_factory=dict, description="share of the measured ceiling, by side")


class Expectation(Document):
    path: str = Field("", description="the target's file, as the run named it")
    days: list[Day] = Field(default_factory=list, description="oldest first")


class Expectations(Document):
    schema_name: ClassVar[str] = "expectations"

    schema_version: int = EXPECTATIONS_VERSION
    kind: str = Field(description="of the machine; also the name of the file")
    canary: str | None = Field(None, description="a target that nobody changes: baseline times are held against its")
    environments: dict[str, dict[str, str]] = Field(default_factory=dict, description="of each run, by its name")
    targets: dict[str, Expectation] = Field(default_factory=dict)
