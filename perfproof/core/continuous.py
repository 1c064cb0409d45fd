"""What continuous benchmarking remembers between two calls, and what it raises an alarm about."""

from typing import ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document


class Done(Document):
    """An entry of the plan that has been measured in this round."""

    run: str = Field("", description="the folder with its results; empty where there are none")
    started: str
    exit_code: int
    words: dict[str, str] = Field(default_factory=dict, description="verdict or status by `target variant`")
    failures: list[str] = Field(default_factory=list, description="gates that failed, each in one line")


class ContinuousState(Document):
    schema_name: ClassVar[str] = "continuous"

    schema_version: int = 1
    plan: str
    plan_sha256: str = Field(description="a plan that has changed begins a new round")
    round: int = 1
    started: str
    finished: str | None = None
    done: dict[str, Done] = Field(default_factory=dict, description="by the name of the entry")
    before: dict[str, dict[str, str]] = Field(default_factory=dict, description="words of the round before, by entry")
    known_changes: dict[str, list[str]] | None = Field(
        None, description="runs at which a series changed, with the sign; None: the first round has not ended yet"
    )


class Alert(Document):
    what: Literal["verdict changed", "gate failed", "change-point", "no result"]
    entry: str = ""
    target: str = ""
    text: str
    run: str = ""


class Alerts(Document):
    schema_name: ClassVar[str] = "alerts"

    schema_version: int = 1
    plan: str
    round: int
    written: str
    tags: list[str] = Field(default_factory=list)
    runs: dict[str, str] = Field(default_factory=dict, description="run by entry")
    alerts: list[Alert] = Field(default_factory=list)
