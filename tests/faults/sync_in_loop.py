"""The fault: the loss of every small step is asked for at once, and the GPU has nothing to do until it is printed."""

from pathlib import Path

import torch
from recording import main, recorded

WIDTH, LOSSES = 1_024, 50


def record(folder: Path) -> None:
    batch = torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16)
    weight = batch.clone()

    def step() -> float:
        best = 0.0
        for _ in range(LOSSES):
            best = max(best, (batch @ weight).abs().amax().item())
            sum(range(4_000))  # what is done with the number, on the host
        return best

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
