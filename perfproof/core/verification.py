"""What `perfproof verify` found: one outcome for each target, what its gate can see, and what confirmed it."""

import re
from typing import ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document

VERIFICATION_VERSION = 1
NO_CANARY = "no canary"
HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

OutcomeWord = Literal["regression", "improvement", "same", "environment", "inconclusive", "new", "missing"]


def short_revision(revision: str) -> str:
    """A full hash as people write it; a name as it is."""
    return revision[:12] if HASH.fullmatch(revision) else revision


class Screening(Document):
    """Today's value against the days of the expectation; differences are natural logs, below 0 is worse."""

    expected: float = Field(description="mean ratio of the days (or the time over the canary's)")
    today: float
    difference: float
    standard_error: float
    limit: float = Field(description="beyond it a target is flagged")
    detectable: float = Field(description="the change that this gate flags in 9 of 10 runs")
    between_days: float = Field(description="tau: what days differ by")
    days: int
    flagged: bool


class Trial(Document):
    """A paired run of one side at two revisions; ratio is the earlier's time over the present one's."""

    side: str
    earlier: str = Field(description="the revision it was held against")
    run: str = Field("", description="the folder with its samples")
    verdict: str = ""
    ratio: float | None = None
    low: float | None = Field(None, description="97 %, with the allowance for having looked on the way")
    high: float | None = None
    launches: int = 0
    p_slower: float | None = Field(None, description="one-sided, with the same allowance, before Holm's correction")
    p_faster: float | None = None
    found: Literal["slower", "faster", "neither", "undecided"] = "undecided"
    note: str = ""


class Outcome(Document):
    target: str
    variant: str = ""
    outcome: OutcomeWord
    reason: str = ""
    screening: Screening | None = None
    baseline: Screening | None = Field(None, description="the baseline's time, against the canary's")
    baseline_check: str = Field("", description="why the baseline's time was not screened, where it was not")
    trials: list[Trial] = Field(default_factory=list)
    changed: list[str] = Field(default_factory=list, description="fields of the environment that differ")
    status: str = Field("", description="of the target in today's run")


class Verification(Document):
    schema_name: ClassVar[str] = "verification"

    schema_version: int = VERIFICATION_VERSION
    perfproof_version: str
    kind: str
    commit: str = ""
    dirty: bool | None = Field(None, description="files differ from the commit; None: unknown")
    started: str
    base: str | None = Field(None, description="the revision of --base: every target went straight to the paired run")
    run: str = Field("", description="the folder of today's run; empty with --base")
    expectations: str = Field("", description="the file that was held against")
    canary: str | None = None
    shared_cause: str = Field("", description="said once, where many targets moved in one direction")
    outcomes: list[Outcome] = Field(default_factory=list)
    exit_code: int = 0
