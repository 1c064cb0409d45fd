"""How long a step of a batching engine takes: a base, and a part per prompt token, per answer and per context token."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StepModel:
    base: float = 0.01  # s per step
    prefill: float = 0.0  # s per prompt token
    sequence: float = 0.0  # s per answer in the batch
    context: float = 0.0  # s per token of context that the answers read

    def seconds(self, prompt_tokens: float, answers: float, context: float) -> float:
        return self.base + self.prefill * prompt_tokens + self.sequence * answers + self.context * context
