"""The fault: copies from pinned memory are in the stream that computes, so that one waits for the other."""

from pathlib import Path

import torch
from recording import main, recorded

WIDTH, ROWS = 4_096, 32_768


def record(folder: Path) -> None:
    batch = torch.randn(ROWS, WIDTH).to(torch.bfloat16).pin_memory()
    weight = torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16)

    def step() -> None:
        for _ in range(4):
            batch.to("cuda", non_blocking=True) @ weight

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
