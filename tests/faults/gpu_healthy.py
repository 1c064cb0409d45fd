"""No fault, on a GPU: large products in bfloat16, back to back, the next batch coming from pinned memory."""

from pathlib import Path

import torch
from recording import main, recorded

WIDTH, LAYERS = 8_192, 12


def record(folder: Path) -> None:
    weight = torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16) / WIDTH**0.5
    waiting = torch.randn(WIDTH, WIDTH).to(torch.bfloat16).pin_memory()
    batch, coming = waiting.cuda(), torch.empty_like(weight)
    hidden, result = torch.empty_like(batch), torch.empty_like(batch)
    copies = torch.cuda.Stream()

    def step() -> None:
        with torch.cuda.stream(copies):
            coming.copy_(waiting, non_blocking=True)
        torch.mm(batch, weight, out=hidden)
        for _ in range(LAYERS):
            torch.mm(hidden, weight, out=result)
            torch.mm(result, weight, out=hidden)
        torch.cuda.current_stream().wait_stream(copies)

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
