"""What a model of a server says of other settings, beside what was measured. Times are seconds."""

from typing import ClassVar

from pydantic import Field

from perfproof.core.documents import Document
from perfproof.core.load import Window


class StepTimes(Document):
    """How long a step of the engine takes, by what is in it."""

    base: float
    sequence: float = Field(description="per answer")
    context: float = Field(description="per token of context")
    mixed: float = Field(description="for having prompts")
    prefill: float = Field(description="per token of a prompt")
    late: float = Field(description="share of the work on prompts before the tokens of the step before are shown")


class WhatIf(Document):
    schema_name: ClassVar[str] = "what-if"
    schema_version: int = 1
    perfproof_version: str
    made: str
    command: list[str]
    test: str = Field(description="the records that the model was fitted to")
    step: StepTimes
    steps: int = Field(description="that the model was fitted to")
    median_error: float = Field(description="of a step's time, as a share")
    p90_error: float
    sum_error: float = Field(0.0, description="of the time of many steps together, as a share")
    step_range: float = Field(0.0, description="by which steps are longer and shorter in the ranges; 0: there are none")
    delay: float = Field(description="time of a request outside of the engine")
    ahead: bool = Field(description="a step is planned while the one before it runs")
    settings: dict[str, str] = Field(description="what was asked for")
    measured: Window
    model_of_it: Window
    what_if: Window
    if_shorter: Window | None = Field(None, description="what if, with steps shorter by `step_range`")
    if_longer: Window | None = None
    confirmed: Window | None = Field(None, description="a test with these settings, measured afterwards")
    confirmed_at: str = ""
    verdict: str = Field("", description="whether the test confirms the model, in words")
    notes: list[str] = Field(default_factory=list)
