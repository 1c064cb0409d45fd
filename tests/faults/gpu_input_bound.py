"""The fault: the GPU waits while the loop parses the next batch in Python."""

from pathlib import Path

import torch
from input_bound import BATCH, WIDTH, Lines
from recording import main, recorded
from torch.utils.data import DataLoader


def record(folder: Path) -> None:
    batches = iter(DataLoader(Lines(), batch_size=BATCH, num_workers=0, pin_memory=True))
    weight = torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16)

    def step() -> torch.Tensor:
        return next(batches).to("cuda", non_blocking=True) @ weight

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
