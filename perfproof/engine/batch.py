"""The tensors of one step.

Tokens stand in one line. First come rows: single tokens that look at their context through a table of blocks. Then
come chunks: many tokens of one prompt, whose attention is one call each.
"""

from dataclasses import dataclass, field

from torch import Tensor


@dataclass
class Chunk:
    begin: int  # its first token in the line
    count: int
    context: int  # tokens in the cache, with those of the chunk
    table: Tensor  # its blocks


@dataclass
class Batch:
    tokens: Tensor
    positions: Tensor
    slots: Tensor  # where the keys and values of each token go
    contexts: Tensor  # per row: tokens in the cache, with its own
    tables: Tensor  # per row: its blocks
    sampled: Tensor | None = None  # places in the line that need logits; None is all
    chunks: list[Chunk] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return self.contexts.shape[0]
