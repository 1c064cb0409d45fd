"""Two saved runs beside each other: for each variant what changed, by how much, and why as far as it can be known."""

from typing import ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document

COMPARISON_VERSION = 1
Verdict = Literal["better", "worse", "differs", "same", "no difference"]


class Change(Document):
    """B against A: above 1, B is faster (or its speed-up is larger)."""

    ratio: float
    low: float | None = None
    high: float | None = None
    level: float = 0.97
    error: float | None = Field(None, description="standard error of its log, over launches of both runs")
    freedom: float | None = Field(None, description="degrees of freedom, by Welch and Satterthwaite")
    beta: float = Field(0.0, description="the systematic band that a difference has to clear, a natural log")
    p: float | None = Field(None, description="of a difference in either direction, beyond the band")
    p_worse: float | None = Field(None, description="of B being worse, one-sided: what the gate uses")
    why_no_interval: str = ""


class ComparedRow(Document):
    target: str
    variant: str = ""
    state: Literal["compared", "failed", "missing", "skipped", "other work"]
    reason: str = ""
    speed_up_a: float | None = None
    speed_up_b: float | None = None
    speed_up: Change | None = Field(None, description="of the variant over the baseline, each measured in its own run")
    time: Change | None = Field(None, description="of the variant, a call; machines and days differ in it")
    verdict: Verdict | None = Field(None, description="of what is judged; None: without an interval")
    marked: bool = Field(False, description="survives Benjamini–Hochberg at 5 %")
    worse: bool = Field(False, description="survives Holm at 5 % as a loss: what the gate fails on")
    causes: list[str] = Field(default_factory=list)
    wrong_output: str = Field("", description="in run B the two programs print different things, and may not: how")


class SuiteMean(Document):
    name: Literal["this suite", "a workload like these"]
    ratio: float
    low: float | None = None
    high: float | None = None


class RunComparison(Document):
    schema_name: ClassVar[str] = "comparison"

    schema_version: int = COMPARISON_VERSION
    a: str
    b: str
    judged: Literal["speed-up", "time"] = "speed-up"
    level: float = 0.97
    differing: list[str] = Field(default_factory=list, description="fields of the two environments, with --across")
    canary: str | None = None
    shared: float | None = Field(None, description="tau_shared from the canary, a natural log; None: unknown")
    rows: list[ComparedRow] = Field(default_factory=list)
    means: list[SuiteMean] = Field(default_factory=list)
    withheld: str = Field("", description="why there is no geometric mean")
