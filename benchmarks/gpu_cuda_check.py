"""Does perfproof.cuda do on a GPU what it says? Every way of launching, its errors, and what a launch costs the host.

    python benchmarks/gpu_cuda_check.py [--save FILE]

Each row launches a kernel of benchmarks/cuda and holds the result against torch, or provokes an error and holds its
line against what it must say. Exits with 1 where a row fails. Clusters, descriptors and dependent launches need
capability 9.0; below that their rows say so.
"""

import argparse
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch
from heading import heading

from perfproof import cuda

SOURCES = Path(__file__).parent / "cuda"
kernels = cuda.source(SOURCES / "launches.cu")
COUNT, BLOCK = 100_003, 256
BURST, BURSTS = 500, 60


def blocks(count: int) -> int:
    return -(-count // BLOCK)


def same(found: torch.Tensor, expected: torch.Tensor) -> str:
    torch.testing.assert_close(found, expected)
    return f"{found.numel():,} elements agree"


def plain_launch() -> str:
    x, out = torch.randn(COUNT, device="cuda"), torch.empty(COUNT, device="cuda")
    kernels.scale(x, out, 3, COUNT, grid=blocks(COUNT), block=BLOCK)
    return same(out, x * 3)


def untyped_launch() -> str:
    x, out = torch.randn(COUNT, device="cuda"), torch.empty(COUNT, device="cuda")
    kernels.scale_untyped(x, out, cuda.float32(0.5), cuda.int32(COUNT), grid=blocks(COUNT), block=BLOCK)
    return same(out, x * 0.5)


def template() -> str:
    x, out = torch.randn(COUNT, device="cuda"), torch.empty(COUNT, device="cuda")
    kernels["widened<float, 4>"](x, out, COUNT, grid=blocks(COUNT), block=BLOCK)
    first = same(out, x + 1)
    whole, result = torch.arange(COUNT, device="cuda"), torch.empty(COUNT, device="cuda", dtype=torch.int64)
    kernels["widened<long long, 1>"](whole, result, COUNT, grid=blocks(COUNT), block=BLOCK)
    same(result, whole + 1)
    return f"two instances, {first} in each"


def own_stream() -> str:
    x, out = torch.randn(COUNT, device="cuda"), torch.empty(COUNT, device="cuda")
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)
        kernels.scale(x, out, 2, COUNT, grid=blocks(COUNT), block=BLOCK)
        waiting = not side.query()
    side.synchronize()
    assert waiting, "the launch did not wait behind the work of its stream"
    return same(out, x * 2)


def graph() -> str:
    x, out = torch.randn(COUNT, device="cuda"), torch.empty(COUNT, device="cuda")
    kernels.scale(x, out, 2, COUNT, grid=blocks(COUNT), block=BLOCK)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        kernels.scale(x, out, 5, COUNT, grid=blocks(COUNT), block=BLOCK)
    x.normal_()
    captured.replay()
    return f"captured and replayed, {same(out, x * 5)}"


def other_thread() -> str:
    x, out, failed = torch.randn(COUNT, device="cuda"), torch.empty(COUNT, device="cuda"), []

    def work() -> None:
        try:
            kernels.scale(x, out, 7, COUNT, grid=blocks(COUNT), block=BLOCK)
        except cuda.CudaError as error:
            failed.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed, failed
    return same(out, x * 7)


def dynamic_shared() -> str:
    count = 40_000  # 160 kB
    x, out = torch.randn(count, device="cuda"), torch.empty(count, device="cuda")
    kernels.reversed(x, out, count, grid=1, block=1024, shared=4 * count)
    return f"{4 * count:,} bytes a block, {same(out, x.flip(0))}"


def cluster() -> str:
    size, width = 4, 128
    x, out = torch.randn(8 * size * width, device="cuda"), torch.empty(8 * size * width, device="cuda")
    kernels.rotated(x, out, grid=8 * size, block=width, cluster=size)
    expected = x.view(8, size, width).roll(-1, dims=1).reshape(-1)
    return f"clusters of {size}, {same(out, expected)}"


def cooperative() -> str:
    room = kernels.shares.resident_blocks(block=BLOCK)
    x, out = torch.rand(COUNT, device="cuda"), torch.empty(COUNT, device="cuda")
    partial = torch.empty(room, device="cuda")
    kernels.shares(x, partial, out, COUNT, grid=room, block=BLOCK, cooperative=True)
    torch.testing.assert_close(out, (x.double() / x.double().sum()).float(), rtol=1e-4, atol=0)
    return f"{room} blocks wait for each other, {COUNT:,} elements agree"


def bulk_copy() -> str:
    rows, cols = 100, 260
    x = torch.randn(rows, cols, device="cuda")
    padded = torch.nn.functional.pad(x, (0, 64, 0, 32))
    described = cuda.tensor_map(x, box=(16, 32))
    for row, col in ((0, 0), (16, 64), (90, 248)):  # the last reaches over both edges
        out = torch.full((16, 32), float("nan"), device="cuda")
        kernels.tile(described, out, row, col, grid=1, block=128)
        same(out, padded[row : row + 16, col : col + 32])
    return "three tiles of 16 x 32 agree, one over both edges"


def dependent() -> str:
    x, middle, out = (torch.randn(COUNT, device="cuda") for _ in range(3))
    for _ in range(50):
        x.normal_()
        kernels.first_half(x, middle, COUNT, grid=blocks(COUNT), block=BLOCK)
        kernels.second_half(middle, out, COUNT, grid=blocks(COUNT), block=BLOCK, pdl=True)
        same(out, (x + 1) * 2)
    return "50 dependent launches agree"


def resources() -> str:
    taken = kernels.reversed.resources
    assert taken.max_threads and taken.registers, taken
    return f"{taken.binary}, {taken.registers} registers, at most {taken.max_threads} threads"


def says(expected: str, function: Callable, *arguments: object, **launch: object) -> str:
    try:
        function(*arguments, **launch)
    except cuda.CudaError as error:
        line = str(error)
        assert expected in line and "\n" not in line, f"it says: {line}"
        return line
    raise AssertionError("no error came")


def syntax_error() -> str:
    wrong = cuda.source(SOURCES / "wrong.cu").wrong
    return says('wrong.cu:3: identifier "nowhere" is undefined (and 1 more error)', wrong, None, grid=1, block=1)


def too_much_shared() -> str:
    return says("asks for 400,000 bytes", kernels.reversed, None, None, 0, grid=1, block=1, shared=400_000)


def too_many_threads() -> str:
    return says("is 2048 threads; it can have", kernels.reversed, None, None, 0, grid=1, block=2048)


def too_large_together() -> str:
    most = kernels.shares.resident_blocks(block=BLOCK)
    launch = dict(grid=most + 1, block=BLOCK, cooperative=True)
    return says(f"has room for {most} blocks", kernels.shares, None, None, None, 0, **launch)


def elsewhere() -> str:
    other = "100a" if torch.cuda.get_device_capability() != (10, 0) else "90a"
    scale = cuda.source(SOURCES / "launches.cu", arch=other).scale
    return says(f"needs sm_{other}; cuda:0 is sm_", scale, None, None, 1, 0, grid=1, block=1)


def wrong_tensors() -> str:
    here = torch.zeros(1, device="cuda")
    says("is on cpu; the launch is on cuda:0", kernels.scale, torch.zeros(1), here, 1, 1, grid=1, block=1)
    return says("is a tensor of torch.float16", kernels.scale, here.half(), here, 1, 1, grid=1, block=1)


def unknown_kernel() -> str:
    return says("has no kernel 'scael'; it has: scale,", kernels.scael, grid=1, block=1)


def launch_cost() -> str:
    """Median host time of a call whose kernel does nothing, in bursts that the launch queue can hold."""
    x, out = torch.zeros(1, device="cuda"), torch.zeros(1, device="cuda")
    ours = _microseconds(lambda: kernels.nothing(x, out, 1, grid=1, block=32))
    theirs = _microseconds(lambda: torch.neg(x, out=out))
    assert ours < 20, f"{ours:.2f} µs a launch"
    return f"{ours:.2f} µs a launch; torch.neg(x, out=out) {theirs:.2f} µs"


def _microseconds(function: Callable) -> float:
    found = []
    for _ in range(BURSTS):
        torch.cuda.synchronize()
        started = time.perf_counter()
        for _ in range(BURST):
            function()
        found.append((time.perf_counter() - started) / BURST * 1e6)
    return median(found)


ANYWHERE = (plain_launch, untyped_launch, template, own_stream, graph, other_thread, dynamic_shared, cooperative)
ANYWHERE += (resources, syntax_error, too_much_shared, too_many_threads, too_large_together, elsewhere)
ANYWHERE += (wrong_tensors, unknown_kernel, launch_cost)
ON_HOPPER = (cluster, bulk_copy, dependent)


def attempt(row: Callable[[], str]) -> tuple[str, str]:
    if row in ON_HOPPER and torch.cuda.get_device_capability() < (9, 0):
        return "not run", "needs capability 9.0"
    try:
        said = row()
        torch.cuda.synchronize()
    except Exception as error:
        traceback.print_exc()
        return "FAIL", " ".join(f"{type(error).__name__}: {error}".split())
    return "pass", said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path, help="write the table here")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("this check launches kernels: it needs a GPU")
    lines, failed = ["| what | result | detail |", "|---|---|---|"], 0
    for row in (*ANYWHERE, *ON_HOPPER):
        result, detail = attempt(row)
        failed += result == "FAIL"
        detail = detail.replace(str(SOURCES.parent.parent.resolve()) + "/", "").replace("|", "\\|")
        lines.append(f"| {row.__name__.replace('_', ' ')} | {result} | {detail} |")
    text = "\n".join([*heading("cuda"), "", *lines])
    print(text)
    if options.save:
        options.save.write_text(text + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
