"""Two ranks whose overlap and whose straggler are known by cause, not by clock.

Rank 0 starts an all-reduce, computes, and only then says that rank 1 may begin; rank 1 computes and joins. So the
collective lasts over all of rank 0's product, which hides it, and over all of rank 1's, for which rank 0 waits.
"""

from itertools import count
from pathlib import Path

import torch
import torch.distributed as dist
from recording import main
from two_ranks import PATIENCE, Step, run

WIDTH = 1_024


def record(folder: Path) -> None:
    def prepare(rank: int) -> Step:
        batch, weight = torch.randn(WIDTH, WIDTH), torch.randn(WIDTH, WIDTH)
        result, summed, numbers = torch.empty_like(batch), torch.ones(16), count()
        signs = dist.FileStore(str(folder / "signs"), 2)
        signs.set_timeout(PATIENCE)

        def first() -> None:
            met = dist.all_reduce(summed, op=dist.ReduceOp.MAX, async_op=True)
            torch.mm(batch, weight, out=result)
            signs.set(f"computed {next(numbers)}", "yes")
            met.wait()

        def second() -> None:
            signs.wait([f"computed {next(numbers)}"])
            torch.mm(batch, weight, out=result)
            dist.all_reduce(summed, op=dist.ReduceOp.MAX)

        return (first, second)[rank]

    run(prepare, folder)
    (folder / "signs").unlink(missing_ok=True)  # the store may have removed it


if __name__ == "__main__":
    main(record)
