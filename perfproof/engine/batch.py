"""The tensors of one step.

Tokens stand in one line. First come rows: single tokens that look at their context through a table of blocks. Then
come chunks: many tokens of prompts that are equally far, whose attention is one call for all of them. A step that is a
graph has tiles instead of rows and chunks: a few tokens of one request each, so that one call takes any mixture.
"""

from dataclasses import dataclass, field

from torch import Tensor

TILE_TOKENS = 16  # of one request, at most


@dataclass
class Chunk:
    begin: int  # its first token in the line
    count: int  # tokens of each prompt
    context: int  # of each prompt: tokens in the cache, with those of the chunk
    slots: Tensor  # (prompts, context): where their keys and values are

    @property
    def end(self) -> int:
        return self.begin + self.slots.shape[0] * self.count


@dataclass
class Batch:
    tokens: Tensor
    positions: Tensor
    slots: Tensor  # where the keys and values of each token go
    contexts: Tensor  # per row: tokens in the cache, with its own
    tables: Tensor  # per row: its blocks
    sampled: Tensor | None = None  # places in the line that need logits; None is all
    chunks: list[Chunk] = field(default_factory=list)
    tiles: Tensor | None = None  # (4, tiles): first token in the line, tokens, position of the first, table

    @property
    def rows(self) -> int:
        return self.contexts.shape[0]
