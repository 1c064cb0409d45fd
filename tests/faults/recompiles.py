"""The fault: a number that differs in every call is compiled in as a constant, so that each call compiles anew."""

from pathlib import Path

import torch
from compiling import log_of, say_warm
from recording import main


def forward(batch: torch.Tensor, factor: int) -> torch.Tensor:
    return torch.sin(batch) * factor


def record(folder: Path) -> None:
    compiled = torch.compile(forward, backend="eager", dynamic=False)
    with log_of(folder):
        for factor in range(2, 8):
            compiled(torch.ones(8, 8), factor)
            if factor == 3:
                say_warm()


if __name__ == "__main__":
    main(record)
