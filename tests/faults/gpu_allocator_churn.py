"""The fault: the cache is emptied in every step, so that the next one asks the driver for its memory again."""

from pathlib import Path

import torch
from recording import main, recorded

BLOCK = 512 * 2**20


def record(folder: Path) -> None:
    def step() -> None:
        for _ in range(4):
            torch.empty(BLOCK, dtype=torch.uint8, device="cuda").zero_()
            torch.cuda.empty_cache()

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
