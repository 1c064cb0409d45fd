"""How long a step of a batching engine takes, and when its tokens are shown.

A step has a base and a part per answer and per context token. Prompts in it add a part of their own and one per token.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class StepModel:
    base: float = 0.01  # s per step
    prefill: float = 0.0  # s per prompt token
    sequence: float = 0.0  # s per answer in the batch
    context: float = 0.0  # s per token of context that the answers read
    mixed: float = 0.0  # s per step that has prompt tokens: it is launched in another way than one without
    late: float = 0.0  # share of a step's prompt work that the tokens of the step before wait for

    def seconds(self, prompt_tokens: float, answers: float, context: float) -> float:
        return self.base + self.prompt_seconds(prompt_tokens) + self.sequence * answers + self.context * context

    def times(self, factor: float) -> "StepModel":
        """The same with every step so many times as long."""
        parts = ("base", "prefill", "sequence", "context", "mixed")
        return replace(self, **{name: factor * getattr(self, name) for name in parts})

    def prompt_seconds(self, prompt_tokens: float) -> float:
        return self.mixed + self.prefill * prompt_tokens if prompt_tokens else 0.0
