"""The fault: gradients are reduced after the last of them is there, and the step waits for 32 MiB on the wire."""

from pathlib import Path

import torch
import torch.distributed as dist
from recording import main
from two_ranks import Step, run

WIDTH, NUMBERS = 96, 8 * 2**20


def prepare(rank: int) -> Step:
    batch, weight = (torch.randn(WIDTH, WIDTH) for _ in range(2))
    result, gradients = torch.empty_like(batch), torch.ones(NUMBERS)

    def step() -> None:
        torch.mm(batch, weight, out=result)
        dist.all_reduce(gradients, op=dist.ReduceOp.MAX)

    return step


def record(folder: Path) -> None:
    run(prepare, folder)


if __name__ == "__main__":
    main(record)
