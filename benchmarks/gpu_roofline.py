"""Hold the roofline's points, read from Nsight Compute's counters, against the arithmetic of CUDA events.

    python benchmarks/gpu_roofline.py --folder DIR [--ceilings FILE]

Three kernels whose work is known from their shapes: a copy, a fused multiply-add of three vectors and a bf16 product.
Each is timed by events (single calls, a rest before each, as ncu runs them) and counted by ncu in runs of its own with
the command that `perfproof roofline --collect-command` prints. DIR gets the CSV, the document and the picture. Exits
with 1 where bandwidth or FLOP/s are more than 5 % apart.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import torch
import triton
import triton.language as tl
from heading import heading

from perfproof.profile.roofline_counters import architecture_of

ELEMENTS, SIDE = 256 << 20, 8192  # vectors of 1 GiB: twenty times the L2
CALLS, REST_SECONDS = 12, 0.05
FILLS = 16  # 60 µs each
APART = 0.05
ROWS = {"copy": "copy_kernel", "multiply-add": "multiply_add_kernel", "bf16 product": ""}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where the CSV, the document and the picture go")
    parser.add_argument("--ceilings", type=Path, help="what `perfproof peak --json` printed on this machine")
    parser.add_argument("--subject", action="store_true", help="only launch the kernels: what ncu is run on")
    options = parser.parse_args()
    if options.subject:
        return subject()
    options.folder.mkdir(parents=True, exist_ok=True)
    counted = by_counters(options.folder, options.ceilings)
    timed = {name: by_events(call) for name, call in calls().items()}
    text, wrong = table(counted, timed)
    print(text)
    (options.folder / "roofline.md").write_text(text)
    sys.exit(f"apart: {', '.join(wrong)}" if wrong else 0)


@triton.jit
def copy_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at))


@triton.jit
def multiply_add_kernel(x_ptr, y_ptr, z_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.fma(tl.load(x_ptr + at), tl.load(y_ptr + at), tl.load(z_ptr + at)))


def calls() -> dict:
    """The three kernels on random data, each as a call without arguments."""
    x, y, z, out = (torch.randn(ELEMENTS, device="cuda") for _ in range(4))
    a, b = (torch.randn(SIDE, SIDE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    grid = (ELEMENTS // 4096,)
    return {
        "copy": lambda: copy_kernel[grid](x, out, BLOCK=4096),
        "multiply-add": lambda: multiply_add_kernel[grid](x, y, z, out, BLOCK=4096),
        "bf16 product": lambda: torch.mm(a, b),
    }


def work(name: str) -> tuple[float, float]:
    """Bytes that must cross memory (none is claimed for the product, whose reuse is the cache's) and operations."""
    return {
        "copy": (8.0 * ELEMENTS, 0.0),
        "multiply-add": (16.0 * ELEMENTS, 2.0 * ELEMENTS),
        "bf16 product": (0.0, 2.0 * SIDE**3),
    }[name]


def subject() -> None:
    for call in calls().values():
        for _ in range(CALLS):
            call()
        torch.cuda.synchronize()


def by_counters(folder: Path, ceilings: Path | None) -> dict[str, dict]:
    """The points of `perfproof roofline` from ncu's CSV, by name."""
    architecture = architecture_of("{}.{}".format(*torch.cuda.get_device_capability()))
    assert architecture is not None, "no counters are known for this GPU"
    csv = folder / "kernels.csv"
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--log-file", str(csv), "-f"]
    command += ["--target-processes", "all", "--clock-control", "none", "--cache-control", "none"]
    command += ["-k", "regex:copy_kernel|multiply_add_kernel|gemm|nvjet|cutlass", "--metrics"]
    command += [",".join(architecture.metrics()), sys.executable, __file__, "--subject"]
    environment = {**os.environ, "LC_ALL": "C"}
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, timeout=400, check=True)
    roofline = [sys.executable, "-m", "perfproof", "roofline", str(csv), "--json", "--output", str(folder / "roofline")]
    roofline += ["--ceilings", str(ceilings)] if ceilings else ["--sheet", "--gpu", torch.cuda.get_device_name()]
    done = subprocess.run(roofline, capture_output=True, text=True, timeout=120, check=True)
    (folder / "roofline.json").write_text(done.stdout)
    kernels = json.loads(done.stdout)["kernels"]
    return {name: the_one(kernels, part) for name, part in ROWS.items()}


def the_one(kernels: list[dict], part: str) -> dict:
    others = [own for own in ROWS.values() if own]
    found = [
        kernel
        for kernel in kernels
        if (part in kernel["name"] if part else not any(own in kernel["name"] for own in others))
    ]
    assert len(found) == 1, f"{part or 'product'}: {[kernel['name'] for kernel in found]}"
    return found[0]


def by_events(call) -> float:
    """The median of single calls: a rest before each, and work ahead so that a launch of 0.2 ms after it is hidden."""
    call()
    ahead = torch.empty(64 << 20, device="cuda")
    seconds = []
    for _ in range(CALLS):
        torch.cuda.synchronize()
        time.sleep(REST_SECONDS)
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        for _ in range(FILLS):
            ahead.fill_(1.0)
        start.record()
        call()
        end.record()
        end.synchronize()
        seconds.append(1e-3 * start.elapsed_time(end))
    return median(seconds)


def table(counted: dict[str, dict], timed: dict[str, float]) -> tuple[str, list[str]]:
    lines = [
        *heading("cuda"),
        "",
        "| kernel | events | ncu | TB/s by events | by counters | apart | TFLOP/s by events | by counters | apart |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    wrong = []
    for name, kernel in counted.items():
        each = kernel["seconds"] / kernel["launches"]
        cells = [name, f"{1e6 * timed[name]:.1f} µs", f"{1e6 * each:.1f} µs"]
        read = kernel["bytes"].get("DRAM"), kernel["flops"]
        for amount, counter in zip(work(name), read, strict=True):
            if not amount or counter is None:
                cells += ["", "", ""]
                continue
            ours, theirs = amount / timed[name], counter / kernel["seconds"]
            apart = theirs / ours - 1
            cells += [f"{ours / 1e12:.3f}", f"{theirs / 1e12:.3f}", f"{100 * apart:+.2f} %"]
            if abs(apart) > APART:
                wrong.append(name)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""]), wrong


if __name__ == "__main__":
    main()
