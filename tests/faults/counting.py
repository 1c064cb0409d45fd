"""Count a program's kernels with Nsight Compute: it is started again under ncu, with what the rules read."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

METRICS = (
    "gpu__time_duration.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.per_cycle_active",
)
ALONE = "--work"  # the program itself, without ncu
DEADLINE_SECONDS = 240


@contextmanager
def counted() -> Iterator[None]:
    """Only what runs within is counted."""
    torch.cuda.profiler.start()
    try:
        yield
    finally:
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()


def main(program: Path, work: Callable[[], None]) -> None:
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: python {sys.argv[0]} OUT")
    if sys.argv[1] == ALONE:
        work()
        return
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    ncu = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--profile-from-start", "off"]
    ncu += ["--clock-control", "none"]  # the card's clocks are not ours to set
    ncu += ["--metrics", ",".join(METRICS), "--log-file", str(folder / "counters.csv")]
    subprocess.run([*ncu, sys.executable, str(program), ALONE], check=True, timeout=DEADLINE_SECONDS)
