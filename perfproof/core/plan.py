"""A plan of continuous benchmarking, as people write it in YAML or JSON: what is measured again, and its gates."""

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from perfproof.core.documents import Document

NAME = r"^[a-z0-9][a-z0-9-]{0,59}$"


class Entry(Document):
    """One call of `perfproof run`, or of `perfproof verify` where it is held against the stored expectations."""

    name: str = Field(pattern=NAME)
    targets: list[str] = Field(min_length=1, description="as for `perfproof run`: ch01, ch01:batched_gemm, a path")
    effort: Literal["quick", "standard", "final"] | None = None
    budget: str | None = Field(None, description="of this entry: 90, 3m, 1h")
    timeout: str | None = Field(None, description="of each target")
    fast: bool = Field(False, description="smoke sizes")
    device: str | None = None
    gate: Literal["none", "expectations"] = "none"
    at_least: dict[str, float] = Field(
        default_factory=dict,
        description="ratio by `target` or `target variant`; fails where the whole interval lies below",
    )
    tags: list[str] = Field(default_factory=list, description="beside those of the plan; --tag chooses by them")


class Plan(Document):
    schema_name: ClassVar[str] = "plan"

    schema_version: Literal[1] = 1
    name: str = Field(pattern=NAME, description="state and alerts are kept under it")
    budget: str | None = Field(None, description="of one call; entries that are left are for the next call")
    tags: list[str] = Field(default_factory=list)
    entries: list[Entry] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_differ(self) -> "Plan":
        names = [entry.name for entry in self.entries]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two entries have the name {twice[0]}")
        return self
