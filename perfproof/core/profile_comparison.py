"""Two profiles of one program, side by side: what `perfproof compare a.json b.json` prints."""

from typing import Literal

from pydantic import Field

from perfproof.core.documents import Document
from perfproof.core.profile_record import Difference


class ComparedProfile(Document):
    file: str
    source: str = Field(description="who wrote it: kineto, nsys, rocprof, ncu, ...")
    steps: int = Field(0, description="steady steps that were found; 0 if nothing repeats")
    step_seconds: float | None = Field(None, description="mean length of a steady step")
    step_source: str = Field("", description="what the steps were found by")
    work_seconds: float | None = Field(None, description="sum over kernels or operators, per step if both have steps")
    samples: float | None = Field(None, description="of the stacks, which the shares are of")
    warnings: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list, description="from profile.json: a busy machine")


class ProfileComparison(Document):
    per: Literal["step", "recording"] = Field(description="what launches and times of the rows are of")
    a: ComparedProfile
    b: ComparedProfile
    headline: str = Field("", description="how long a step takes in each; empty if one of them has no steps")
    rows: list[Difference] = Field(
        default_factory=list, description="kernels, operators or innermost frames, largest change first"
    )
    functions: list[Difference] = Field(
        default_factory=list, description="functions of the stacks with all that they call, largest change first"
    )
