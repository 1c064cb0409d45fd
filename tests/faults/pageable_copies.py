"""The fault: batches are sent to the GPU from ordinary memory, through the driver's own buffer."""

from pathlib import Path

import torch
from recording import main, recorded

WIDTH, ROWS = 4_096, 32_768


def record(folder: Path) -> None:
    batch = torch.randn(ROWS, WIDTH).to(torch.bfloat16)
    weight = torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16)

    def step() -> torch.Tensor:
        return batch.to("cuda", non_blocking=True) @ weight

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
