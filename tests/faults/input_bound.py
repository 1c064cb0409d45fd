"""The fault: examples are parsed in Python, in the training loop itself, so that the step waits for its batch."""

from pathlib import Path

import torch
from recording import main, recorded
from torch.utils.data import DataLoader, Dataset

WIDTH, BATCH, EXAMPLES = 256, 16, 1_000


class Lines(Dataset):
    """Text that is turned into numbers when it is asked for."""

    line = ",".join(str(number / 7) for number in range(WIDTH * 4))

    def __len__(self) -> int:
        return EXAMPLES

    def __getitem__(self, place: int) -> torch.Tensor:
        return torch.tensor([float(word) for word in self.line.split(",")][:WIDTH])


def record(folder: Path) -> None:
    batches = iter(DataLoader(Lines(), batch_size=BATCH, num_workers=0))
    weight = torch.randn(WIDTH, WIDTH)

    def step() -> torch.Tensor:
        return next(batches) @ weight

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
