"""The fault: two hundred additions of sixteen numbers each, where one of three thousand would do."""

from pathlib import Path

import torch
from recording import main, recorded

PIECES, WIDTH = 200, 16
TRIES = 40


def record(folder: Path) -> None:
    state, change = torch.zeros(PIECES, WIDTH), torch.randn(PIECES, WIDTH)
    rows, changes = list(state), list(change)

    def step() -> None:
        for row, one in zip(rows, changes, strict=True):
            row.add_(one)

    recorded(step, folder, tries=TRIES)


if __name__ == "__main__":
    main(record)
