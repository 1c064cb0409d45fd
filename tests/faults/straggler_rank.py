"""The fault: rank 1 has a hundred times the work of rank 0, which waits for it in the collective."""

from pathlib import Path

import torch
import torch.distributed as dist
from recording import main
from two_ranks import Step, run

WIDTH, PIECES = 256, (1, 100)


def prepare(rank: int) -> Step:
    batch, weight = (torch.randn(WIDTH, WIDTH) for _ in range(2))
    result, loss = torch.empty_like(batch), torch.ones(16)

    def step() -> None:
        for _ in range(PIECES[rank]):
            torch.mm(batch, weight, out=result)
        dist.all_reduce(loss, op=dist.ReduceOp.MAX)

    return step


def record(folder: Path) -> None:
    run(prepare, folder)


if __name__ == "__main__":
    main(record)
