"""The fault: a graph of hundreds of tiny kernels. One launch starts them all, and still each has its fixed cost."""

from pathlib import Path

import torch
from recording import main, recorded

PIECES, WIDTH = 400, 1_024


def record(folder: Path) -> None:
    state = torch.zeros(WIDTH, device="cuda")
    state.add_(1.0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(PIECES):
            state.add_(1.0)

    def step() -> None:
        graph.replay()
        graph.replay()

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
