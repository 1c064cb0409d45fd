"""The fault lies in the recording: Python calls are traced with their stacks, and the step is mostly Python calls.

Beside the trace it writes what the same step takes without a profiler, in milliseconds.
"""

from pathlib import Path

import torch
from recording import fastest_seconds, main, recorded

CALLS = 4_000


def counted(number: int) -> int:
    return number + 1


def record(folder: Path) -> None:
    batch, weight = (torch.randn(192, 192) for _ in range(2))
    result = torch.empty_like(batch)

    def step() -> None:
        torch.mm(batch, weight, out=result)
        number = 0
        for _ in range(CALLS):
            number = counted(number)

    milliseconds = fastest_seconds(step) * 1e3
    recorded(step, folder, with_stack=True)
    (folder / "unprofiled_step_ms.txt").write_text(f"{milliseconds:.6f}\n")


if __name__ == "__main__":
    main(record)
