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
    work_seconds: float | None = Field(None, description="sum over the rows, per step if there are steps")
    warnings: list[str] = Field(default_factory=list)


class ProfileComparison(Document):
    per: Literal["step", "recording"] = Field(description="what launches and times of the rows are of")
    a: ComparedProfile
    b: ComparedProfile
    rows: list[Difference] = Field(default_factory=list, description="largest change of time first")
