"""Parts of a triage bundle, and what is made of two: the system, what can be used on it, its health, diff and table.

`parsed/host.json` is a `TriageHost`, `parsed/can.json` a `TriageCan`, `parsed/health.json` a `TriageHealth`; `perfproof
triage diff --json` prints a `TriageDiff` and `perfproof triage ab --json` a `TriageTable`.
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from perfproof.core.doctor import Row
from perfproof.core.documents import Document

SCHEMA_VERSION = 1


class TriageHost(Document):
    schema_name: ClassVar[str] = "triage-host"

    schema_version: int = SCHEMA_VERSION
    kernel: str
    distribution: str
    container: bool
    virtual_machine: str | bool = Field(description="its name, True for one without a name, or unknown: why")
    cgroup: str
    cpu_quota: float | str = Field(description="CPUs' worth of time, or no limit")
    memory_limit_bytes: int | str
    clock_source: str
    uptime_seconds: float | str
    git: dict[str, Any] = Field(description="commit, branch and dirty of the work folder, or why they are unknown")


class TriageCan(Document):
    schema_name: ClassVar[str] = "triage-can"

    schema_version: int = SCHEMA_VERSION
    settings: dict[str, str] = Field(description="of the kernel, that allow or forbid profilers")
    limits: dict[str, int | str] = Field(description="of this user's processes")
    fit: bool | None = Field(None, description="measuring works here; None: the probes did not come to their end")
    rows: list[Row] = Field(default_factory=list)


class TriageCheck(Document):
    """One expectation: what was seen, what a healthy machine shows, and what to do."""

    result: Literal["pass", "fail", "not-run"]
    part: str = Field(description="GPU 0, host")
    name: str
    severity: Literal["sick", "watch"]
    seen: str
    expected: str
    advice: str


class TriageHealth(Document):
    schema_name: ClassVar[str] = "triage-health"

    schema_version: int = SCHEMA_VERSION
    checks: list[TriageCheck]


class TriageDifference(Document):
    weight: Literal["decides", "matters", "may matter", "moment"]
    what: str = Field(description="the fact, by its path in the parsed documents")
    a: str
    b: str
    size: float = Field(description="relative, of two numbers; 1 where there is no telling")


class TriageDiff(Document):
    schema_name: ClassVar[str] = "triage-diff"

    schema_version: int = SCHEMA_VERSION
    a: str
    b: str
    differences: list[TriageDifference]


class TriageTableRow(Document):
    what: str
    a: float | None = None
    b: float | None = None
    unit: str = ""
    ratio: float | None = Field(None, description="which way is said once for the table")
    low: float | None = None
    high: float | None = None
    note: str = ""


class TriageTable(Document):
    schema_name: ClassVar[str] = "triage-ab"

    schema_version: int = SCHEMA_VERSION
    ratio: Literal["ratio a/b", "ratio b/a"]
    rows: list[TriageTableRow]
