"""What does the driver's GPM say of an idle GPU, a copy and a matrix product?

    python benchmarks/gpu_gpm.py                 a table, three seconds each
    python benchmarks/gpu_gpm.py --seconds 10
    python benchmarks/gpu_gpm.py --ncu           then ncu's own counters of the same kernels, in a second table

Each row is the telemetry of that stretch as a run records it: the mean of the readings, weighted by time. The copy is
a kernel that reads and writes 2 GiB in device memory; the product is 8192 x 8192 x 8192 in bfloat16; the copy from the
host is 1 GiB of pinned memory. Eight calls are queued at a time; the short wait behind them is part of it.

ncu reads one launch of each kernel, after three others, at the card's own clocks, with the card to itself: what it says
is of the kernel alone, without the gaps between launches. An idle GPU and a copy from the host have no kernel to read.
"""

import argparse
import csv
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from heading import heading

from perfproof.core.telemetry import TelemetrySummary
from perfproof.machine.sampler import Sampler, read, summary

COLUMNS = {
    "sm_active_ratio": "SMs active",
    "tensor_active_ratio": "tensor cores active",
    "dram_active_ratio": "memory bandwidth used",
    "busy_ratio": "time with any kernel",
    "pcie_received_bytes_per_s": "PCIe received",
    "pcie_sent_bytes_per_s": "PCIe sent",
}
AHEAD = 8  # calls that may be queued before the host waits
ELAPSED = "avg.pct_of_peak_sustained_elapsed"
COUNTERS = {  # those that stand for the first three columns
    f"sm__cycles_active.{ELAPSED}": "SMs active",
    f"sm__pipe_tensor_cycles_active.{ELAPSED}": "tensor cores active",
    f"dram__throughput.{ELAPSED}": "memory bandwidth used",
}
KERNELS = ("on the device", "each way")  # loads with a kernel; a copy engine has none
BEFORE = 3  # launches of a kernel that ncu leaves out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--ncu", action="store_true")
    parser.add_argument("--calls-of", help="of one load, a few calls and no table: what ncu looks at")
    options = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        print("no GPU that torch can use: nothing was measured", file=sys.stderr)
        return 3
    if options.calls_of:
        return call(torch, options.calls_of)
    print("\n".join([*heading("cuda:0"), ""]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "telemetry.jsonl"
        with Sampler(path, gpus=[0]) as sampler:
            sampler.wait_ready()
            stretches = {name: during(torch, work, options.seconds) for name, work in loads(torch)}
        telemetry = read(path)
        found = {name: summary(telemetry, *stretch) for name, stretch in stretches.items()}
    print("\n".join(table(found)))
    if options.ncu:
        print("\n".join(["", *counted([name for name in found if name.endswith(KERNELS)])]))
    return 0


def call(torch, wanted: str) -> int:
    for name, work in loads(torch):
        for _ in range(BEFORE + 2 if name == wanted and work else 0):
            work()
            torch.cuda.synchronize()
    return 0


def counted(names: list[str]) -> Iterator[str]:
    """ncu's figures for one kernel of each load."""
    yield f"| kernel of | {' | '.join(COUNTERS.values())} | duration |"
    yield f"|---{'|---' * len(COUNTERS)}|---|"
    if not (ncu := shutil.which("ncu")):
        yield "not measured: no ncu on PATH"
        return
    wanted = ",".join([*COUNTERS, "gpu__time_duration.sum"])
    for name in names:
        command = [ncu, "--csv", "--page", "raw", "--clock-control", "none", "--metrics", wanted]
        command += [
            "--kernel-name",
            "regex:vectorized|gemm|nvjet|cutlass",
            "--launch-skip",
            str(BEFORE),
            "--launch-count=1",
        ]
        done = subprocess.run(
            [*command, sys.executable, __file__, "--calls-of", name], capture_output=True, text=True, check=False
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
        if len(lines) < 3:
            yield f"not measured: {name}: {(done.stderr or done.stdout).strip()[-200:]}"
            continue
        units, row = (dict(zip(next(csv.reader(lines[:1])), one, strict=True)) for one in csv.reader(lines[1:3]))
        cells = [f"{float(row[column].replace(',', '')):.1f} %" for column in COUNTERS]
        duration = f"{row['gpu__time_duration.sum']} {units['gpu__time_duration.sum']}"
        yield f"| {name}: `{row['Kernel Name'][:60]}` | {' | '.join(cells)} | {duration} |"


def loads(torch) -> Iterator[tuple[str, Callable[[], None] | None]]:
    """A name and one call of it; None is an idle GPU."""
    yield "idle", None
    source = torch.empty(1 << 29, device="cuda")
    target = torch.empty_like(source)
    yield "copy of 2 GiB on the device", lambda: torch.neg(source, out=target)  # `copy_` is no kernel that ncu sees
    a, b = (torch.randn(8192, 8192, dtype=torch.bfloat16, device="cuda") for _ in range(2))
    product = torch.empty_like(a)
    yield "bfloat16 product, 8192 each way", lambda: torch.mm(a, b, out=product)
    host = torch.empty(1 << 30, dtype=torch.uint8, pin_memory=True)
    arrived = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    yield "copy of 1 GiB from the host", lambda: arrived.copy_(host, non_blocking=True)


def during(torch, work: Callable[[], None] | None, seconds: float) -> tuple[int, int]:
    """Keep the GPU at this work; when it began and ended. The first half second is warm-up."""
    for length in (0.5, seconds):
        start = time.perf_counter_ns()
        while time.perf_counter_ns() - start < length * 1e9:
            if work is None:
                time.sleep(0.01)
                continue
            for _ in range(AHEAD):
                work()
            torch.cuda.synchronize()
    return start, time.perf_counter_ns()


def table(found: dict[str, TelemetrySummary]) -> Iterator[str]:
    yield f"| load | {' | '.join(COLUMNS.values())} | readings |"
    yield f"|---{'|---' * len(COLUMNS)}|---|"
    for name, one in found.items():
        given = [one.readings.get(f"gpu0.{column}") for column in COLUMNS]
        cells = [
            shown(column, reading.mean if reading else None) for column, reading in zip(COLUMNS, given, strict=True)
        ]
        readings = one.readings.get("gpu0.sm_active_ratio")
        yield f"| {name} | {' | '.join(cells)} | {readings.readings if readings else 0} |"
    for name, why in next(iter(found.values())).unknown.items():
        yield f"not measured: {name}: {why}"


def shown(column: str, value: float | None) -> str:
    if value is None:
        return "not measured"
    return f"{100 * value:.1f} %" if column.endswith("_ratio") else f"{value / 1e9:.2f} GB/s"


if __name__ == "__main__":
    sys.exit(main())
