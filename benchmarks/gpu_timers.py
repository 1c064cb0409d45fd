"""One element-wise kernel by every ruler, from 4 Ki to 512 Mi elements, with Nsight Compute's duration as the truth.

    python benchmarks/gpu_timers.py [--save FILE]

`kernel` is CUPTI's activity, `graph` the difference of replayed graphs, `call` what a program pays for a call, all as
perfproof reads them and over rotated inputs; beside them `triton.testing.do_bench` and `do_bench_cudagraph`, which
reuse one input. Exits with 1 where `kernel` is off by more than max(2 %, 0.2 µs), or `graph` by more than max(3 %,
0.3 µs).
"""

import argparse
import csv
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch
from heading import heading
from triton.testing import do_bench, do_bench_cudagraph

from perfproof.bench.sampling import LAUNCH_BOUND
from perfproof.worker.measure.device_clocks import call_on_cuda
from perfproof.worker.measure.kernels import Recording, busy_seconds, graph_calls, marked_calls

SIZES = [4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 128 << 20, 512 << 20]
FOOTPRINT, MOST_SETS = 3 * 60 * 10**6, 256
NCU_CALLS, NCU_WARM, NCU_SETS = 24, 8, 32
SAMPLE, REPEATS = 0.002, 15
METRIC, CLOCK = "gpu__time_duration.sum", "gpc__cycles_elapsed.avg.per_second"
UNITS = {"nsecond": 1e-9, "ns": 1e-9, "usecond": 1e-6, "us": 1e-6, "msecond": 1e-3, "ms": 1e-3, "second": 1.0, "s": 1.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path, help="write the table here")
    parser.add_argument("--subject", action="store_true", help="only launch the kernels: what ncu is run on")
    options = parser.parse_args()
    if options.subject:
        return subject()
    truth = by_ncu()
    rows = [measured(elements) for elements in SIZES]
    text, wrong = table(rows, truth)
    print(text)
    if options.save:
        options.save.write_text(text)
    sys.exit(f"off: {', '.join(wrong)}" if wrong else 0)


def double(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return torch.mul(x, 2.0, out=out)


def rotated(elements: int, most: int = MOST_SETS) -> list[tuple]:
    """Inputs and outputs, together at least three times the L2; where sets are tiny, as many as are worth it."""
    wanted = max(2, min(most, -(-FOOTPRINT // (8 * elements))))
    return [(torch.randn(elements, device="cuda"), torch.empty(elements, device="cuda")) for _ in range(wanted)]


def subject() -> None:
    """So many launches a size, over rotated sets; ncu reads their durations in order."""
    for elements in SIZES:
        sets = rotated(elements, NCU_SETS)
        torch.cuda.synchronize()
        for call in range(NCU_CALLS):
            double(*sets[call % len(sets)])
        torch.cuda.synchronize()
        del sets


def by_ncu() -> dict[int, list[float]] | str:
    """Durations of the launches of each size, or why there are none."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return "ncu is not installed"
    command = [
        ncu,
        "--metrics",
        f"{METRIC},{CLOCK}",
        "--clock-control",
        "none",
        "--cache-control",
        "none",
        "--csv",
        "--page",
        "raw",
    ]
    command += ["-k", "regex:vectorized_elementwise", "--print-units", "base", sys.executable, __file__, "--subject"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if done.returncode or len(lines) < 3:
        tail = (done.stderr or done.stdout).strip().splitlines()[-3:]
        return f"ncu gave nothing: {' / '.join(tail)}"
    header, units, *rows = list(csv.reader(lines))
    at = header.index(METRIC)
    seconds = [float(row[at].replace(",", "")) * UNITS[units[at]] for row in rows]
    if len(seconds) != NCU_CALLS * len(SIZES):
        return f"ncu saw {len(seconds)} launches, not {NCU_CALLS * len(SIZES)}"
    hertz = [float(row[header.index(CLOCK)].replace(",", "")) for row in rows]
    print(f"the clock under ncu: {min(hertz):.4g} to {max(hertz):.4g} {units[header.index(CLOCK)]}", file=sys.stderr)
    groups = [seconds[begin + NCU_WARM : begin + NCU_CALLS] for begin in range(0, len(seconds), NCU_CALLS)]
    return dict(zip(SIZES, groups, strict=True))


def measured(elements: int) -> dict:
    sets = rotated(elements)
    taken = 0

    def next_sets(calls: int) -> list[tuple]:
        nonlocal taken
        taken += calls
        return [sets[(taken + call) % len(sets)] for call in range(calls)]

    def repeated(clock: Callable, calls: int, **more: float) -> float:
        return median(clock(double, next_sets(calls), **more).seconds / calls for _ in range(REPEATS))

    for _ in range(20):
        call_on_cuda(double, next_sets(100))
    rough = repeated(call_on_cuda, 50)
    calls = max(2, min(1000, round(SAMPLE / rough)))
    enqueue = median((call_on_cuda(double, next_sets(calls)).enqueue_seconds or 0.0) / calls for _ in range(REPEATS))
    held = repeated(call_on_cuda, calls, hold=1.3 * enqueue * calls + 50e-6)
    launch_bound = enqueue > LAUNCH_BOUND * held
    x, out = sets[0]
    with Recording() as recording:
        for _ in range(REPEATS):
            marked_calls(double, next_sets(calls))
    with Recording() as apart:
        for _ in range(REPEATS):
            marked_calls(alone, next_sets(min(calls, 100)))
    return {
        "elements": elements,
        "alone": median(busy_seconds(records) / min(calls, 100) for records in apart.samples(REPEATS)),
        "kernel": median(busy_seconds(records) / calls for records in recording.samples(REPEATS)),
        "graph": repeated(graph_calls, calls),
        "call": repeated(call_on_cuda, calls) if launch_bound else held,
        "held": held,
        "enqueue": enqueue,
        "says": "launch-bound" if launch_bound else "device-bound",
        "do_bench": do_bench(lambda: double(x, out), return_mode="median") * 1e-3,
        "do_bench_cudagraph": do_bench_cudagraph(lambda: double(x, out), return_mode="median") * 1e-3,
        "event pair": median(call_on_cuda(double, next_sets(1)).seconds for _ in range(REPEATS)),
    }


def alone(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """The same kernel on an idle device each time, as ncu runs it."""
    double(x, out)
    torch.cuda.synchronize()
    return out


def table(rows: list[dict], truth: dict[int, list[float]] | str) -> tuple[str, list[str]]:
    columns = ["kernel", "alone", "graph", "call", "held", "enqueue", "do_bench", "do_bench_cudagraph", "event pair"]
    lines = [
        *heading("cuda"),
        "",
        "Microseconds a call, medians. `held` is a call while the queue is held, `enqueue` the host's time for one.",
        "" if isinstance(truth, dict) else f"\nNo truth: {truth}.\n",
        f"| elements | ncu ({METRIC}) | {' | '.join(columns)} | `call` says | kernel off | graph off |",
        "|" + "---|" * (len(columns) + 5),
    ]
    wrong = [] if isinstance(truth, dict) else ["no truth"]
    for row in rows:
        cells = [f"{1e6 * row[name]:.2f}" for name in columns]
        true = median(truth[row["elements"]]) if isinstance(truth, dict) else None
        off = [("kernel", 0.02, 0.2e-6), ("graph", 0.03, 0.3e-6)]
        for name, share, seconds in off:
            if true is not None and abs(row[name] - true) > max(share * true, seconds):
                wrong.append(f"{name} at {row['elements']}")
        shown = [
            f"{1e6 * (row[name] - true):+.2f} µs, {100 * (row[name] / true - 1):+.1f} %" if true else ""
            for name, *_ in off
        ]
        truth_cell = "" if true is None else f"{1e6 * true:.2f}"
        lines.append(
            f"| {row['elements'] >> 10} Ki | {truth_cell} | {' | '.join(cells)} | {row['says']} | {' | '.join(shown)} |"
        )
    return "\n".join([*lines, ""]), wrong


if __name__ == "__main__":
    main()
