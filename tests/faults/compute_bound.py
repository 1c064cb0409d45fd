"""The fault, if it is one: a large product in bfloat16. Its kernel keeps the tensor cores busy."""

from pathlib import Path

import torch
from counting import counted, main

WIDTH = 8_192


def work() -> None:
    one, other = (torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    result = torch.empty_like(one)
    torch.cuda.synchronize()
    with counted():
        for _ in range(3):
            torch.mm(one, other, out=result)


if __name__ == "__main__":
    main(Path(__file__), work)
