"""How fast is each step of labs/matmul_ladder, in TFLOP/s and as a share of cuBLAS? One H200 takes about three minutes.

    python benchmarks/matmul_ladder_gpu.py FOLDER [--steps 07 13] [--shapes 8192x8192x8192] [--timeout 120]

Every step is verified against a float32 product of torch and timed with CUDA events, in turns with `torch.matmul` on
the same factors. A step has a process of its own: one that fails, or hangs past the timeout, is a row with its reason,
and the others go on. FOLDER gets `matmul_ladder.json` after every step, `matmul_ladder.md` and `matmul_ladder.svg` (the
first shape) at the end.
"""

import argparse
import importlib.util
import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # so that processes can be forked after torch is imported

import torch
from heading import heading

from perfproof.report.climb import Step
from perfproof.report.climb_picture import svg

LAB = Path(__file__).resolve().parents[1] / "labs" / "matmul_ladder"
SHAPES = (
    "8192x8192x8192",
    "4096x4096x4096",
    "2048x8192x14336",
    "16384x4096x6144",
    "5001x3333x7007",
)  # rows, depth, cols
ROUNDS, SECONDS = 7, 0.03  # per side and shape: rounds, and how long one of them takes
QUEUED, CLOCK = 3e-4, 1.8e9  # seconds of the host per call at most; cycles of the device per second
SLOW = 0.05  # seconds: a call that takes longer is timed once
RTOL, ATOL = 8e-3, 2e-3  # sums near 1, rounded once to bfloat16


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the results are written")
    parser.add_argument(
        "--steps", nargs="*", default=[], help="numbers of steps; 00 is the product of one thread per result"
    )
    parser.add_argument("--shapes", nargs="*", default=SHAPES, help="ROWSxDEPTHxCOLS")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds per step")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("this benchmark launches kernels: it needs a GPU")
    shapes = [tuple(int(part) for part in shape.split("x")) for shape in options.shapes]
    options.folder.mkdir(parents=True, exist_ok=True)
    print(_line("step", *options.shapes), _line("---", *("---:" for _ in shapes)), sep="\n", flush=True)
    found, lines = [], []
    for name, side in _sides():
        if options.steps and name.split("_")[1] not in options.steps:
            continue
        found.append(in_own_process(name, side, shapes, options.timeout))
        lines.append(_row(found[-1], len(shapes)))
        print(lines[-1], flush=True)
        (options.folder / "matmul_ladder.json").write_text(json.dumps(found, indent=1) + "\n")
    head = ["", _line("step", *options.shapes), _line("---", *("---:" for _ in shapes))]
    (options.folder / "matmul_ladder.md").write_text("\n".join([*heading("cuda"), *head, *lines]) + "\n")
    (options.folder / "matmul_ladder.svg").write_text(picture(found, torch.cuda.get_device_name()))
    return 1 if any(one["problem"] for one in found) else 0


def picture(found: list[dict[str, Any]], machine: str, which: int = 0) -> str:
    """The climb at one shape, as labs have it."""
    first = [(one["step"], one["shapes"][which]) for one in found if one["shapes"]]
    steps = [
        Step(name, at["shape"], at["tflops"] * 1e12, None, None, at["cublas_tflops"] * 1e12, None, machine, "")
        for name, at in first
    ]
    return svg(steps, f"labs/matmul_ladder, {steps[0].sizes.replace('x', ' x ')}, beside cuBLAS")


def in_own_process(name: str, side: str, shapes: list[tuple[int, ...]], timeout: float) -> dict[str, Any]:
    """What one step did; what it had measured when it failed stays."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_measure_step, args=(name, side, shapes, there))
    process.start()
    there.close()
    done: dict[str, Any] = dict(step=name, shapes=[], kernels=[], problem="")
    try:
        while True:
            if not here.poll(timeout):
                done["problem"] = f"no result within {timeout:.0f} s"
                break
            kind, value = here.recv()
            if kind == "problem":
                done["problem"] = value
            else:
                done[kind].append(value)
    except EOFError:  # it has ended
        process.join(timeout)
        if process.exitcode and not done["problem"]:
            done["problem"] = f"the process ended with {process.exitcode}"
    if process.is_alive():
        process.kill()
    process.join()
    return done


def _measure_step(name: str, side: str, shapes: list[tuple[int, ...]], pipe: Any) -> None:
    try:
        step = _load(name)
        _refuse_other_gpus(step)
        for rows, depth, cols in shapes:
            pipe.send(("shapes", measure(getattr(step, side), rows, depth, cols)))
        for launched in step.kernels.kernel_launches():
            taken = launched.resources
            pipe.send(("kernels", dict(
                kernel=launched.kernel, registers=taken.registers, spills=taken.spill_stores + taken.spill_loads,
                shared=taken.static_shared + launched.dynamic_shared, blocks_per_sm=launched.blocks_per_sm,
            )))  # fmt: skip
    except Exception as error:  # a compile error, a launch error, too little memory: all are results here
        pipe.send(("problem", " ".join(f"{type(error).__name__}: {error}".split())[:400]))


def measure(multiply: Callable, rows: int, depth: int, cols: int) -> dict[str, Any]:
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    a = torch.randn(rows, depth, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(cols, depth, device="cuda", dtype=torch.bfloat16) / depth**0.5

    def library(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.matmul(a, b.T)

    error = share_of_tolerance(multiply(a, b), a, b)
    ours, theirs = timed_in_turns(multiply, library, a, b)
    flops = 2 * rows * depth * cols
    return dict(
        shape=f"{rows}x{depth}x{cols}",
        right=error <= 1,
        share_of_tolerance=error,
        seconds=ours,
        cublas_seconds=theirs,
        tflops=flops / median(ours) / 1e12,
        cublas_tflops=flops / median(theirs) / 1e12,
        share_of_cublas=median(theirs) / median(ours),
    )


def share_of_tolerance(out: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> float:
    """In strips of rows: a float32 copy of everything would take more memory than the product."""
    worst = 0.0
    for start in range(0, len(a), 2_048):
        right = a[start : start + 2_048].float() @ b.float().T
        share = (out[start : start + 2_048].float() - right).abs() / (ATOL + RTOL * right.abs())
        worst = max(worst, float(share.nan_to_num(nan=float("inf")).max()))
    return worst


def timed_in_turns(one: Callable, other: Callable, *arguments: torch.Tensor) -> tuple[list[float], list[float]]:
    """Seconds per call, one number per round; the sides take turns, and each round is long enough for its clock."""
    for side in (one, other):
        side(*arguments)  # the first call of a library in a process takes long
    first = [_seconds(side, arguments, 1) for side in (one, other)]
    rounds = 1 if max(first) > SLOW else ROUNDS
    calls = [max(1, round(SECONDS / seconds)) for seconds in first]
    if rounds > 1:
        for side, count in zip((one, other), calls, strict=True):  # warm
            _seconds(side, arguments, count)
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for side, count, times in zip((one, other), calls, found, strict=True):
            times.append(_seconds(side, arguments, count))
    return found


def _seconds(side: Callable, arguments: tuple[torch.Tensor, ...], calls: int) -> float:
    """The device sleeps until the calls are in its queue: a short product would otherwise wait for the host."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    torch.cuda._sleep(round(calls * QUEUED * CLOCK))
    begin.record()
    for _ in range(calls):
        side(*arguments)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / calls


def _sides() -> list[tuple[str, str]]:
    """Every step, after the product that the first is held against."""
    names = sorted(path.stem for path in LAB.glob("step_*.py"))
    return [("step_00_naive", "baseline"), *((name, "optimized") for name in names)]


def _load(name: str) -> ModuleType:
    stem = "step_01_tiled" if name == "step_00_naive" else name
    spec = importlib.util.spec_from_file_location(stem, LAB / f"{stem}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _refuse_other_gpus(step: ModuleType) -> None:
    wanted = step.needs.get("sm")
    major, minor = torch.cuda.get_device_capability()
    if wanted and wanted != f"{major}{minor}a":
        raise RuntimeError(f"needs sm_{wanted}; this GPU is sm_{major}{minor}")


def _row(done: dict[str, Any], columns: int) -> str:
    cells = []
    for one in done["shapes"]:
        wrong = "" if one["right"] else f"WRONG ({one['share_of_tolerance']:.3g} times the tolerance) "
        cells.append(f"{wrong}{one['tflops']:.3g} TFLOP/s, {100 * one['share_of_cublas']:.3g} %")
    cells += [done["problem"].replace("|", "\\|")] if done["problem"] else []
    return _line(done["step"], *cells, *([""] * (columns - len(cells))))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
