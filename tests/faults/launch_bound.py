"""The fault: hundreds of tiny operators a step, each launched from Python; the GPU waits for the next launch."""

from pathlib import Path

import torch
from recording import main, recorded

PIECES, WIDTH = 400, 1_024


def record(folder: Path) -> None:
    state = torch.zeros(WIDTH, device="cuda")

    def step() -> None:
        for _ in range(PIECES):
            state.add_(1.0)

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
