"""The fault: every step asks for large blocks and gives them back, so that each page is fetched from the system again.

64 MiB is above what the C library ever keeps for itself (32 MiB): the block is mapped, cleared page by page at its
first touch, and unmapped when it is released.
"""

from pathlib import Path

import torch
from recording import main, recorded

BLOCK = 64 * 2**20


def record(folder: Path) -> None:
    batch = torch.zeros(BLOCK, dtype=torch.uint8)

    def step() -> None:
        for _ in range(3):
            batch + 1

    recorded(step, folder, profile_memory=True)


if __name__ == "__main__":
    main(record)
