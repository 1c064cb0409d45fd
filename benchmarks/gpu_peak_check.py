"""Hold the ceilings against `triton.testing.do_bench` on a GPU, and against what a healthy card of this kind reaches.

    python benchmarks/gpu_peak_check.py

For copy, write, read, a bf16 product of side 8192 and a pinned copy from the host: our median, do_bench's median for
the same call in the same process (in turn, a rest before each) and the difference, which may be 3 %. Then: a copy of at
least 88 % and a write of at least 95 % of the data sheet's bandwidth, and pinned copies at least five times as fast as
pageable ones. Exits with 1 if one of these is missed.
"""

import statistics
import sys
import time

import torch
from triton.testing import do_bench

from perfproof.core.units import GiB, MiB, percent, seconds
from perfproof.machine.datasheet import find
from perfproof.peak.plan import Plan
from perfproof.peak.probes import device_gemm, device_memory, host_copy
from perfproof.peak.probes._device_timing import LEAST_SECONDS, calls_for, read_batches
from perfproof.peak.table import quantity
from perfproof.peak.timing import host_samples

ROUNDS = 5
REST_SECONDS = 0.5
DIFFERENCE = 0.03
LEAST_COPY, LEAST_WRITE, LEAST_PINNED = 0.88, 0.95, 5.0
BUFFER, HOST_BUFFER, SIDE = 2 * GiB, 256 * MiB, 8192


def main() -> int:
    if not torch.cuda.is_available():
        print("there is no GPU that torch can use")
        return 3
    torch.cuda.set_device(0)
    missed: list[str] = []
    rates: dict[str, float] = {}
    print(f"{'operation':24} {'ours':>10} {'do_bench':>10} {'apart':>8}  {'rate':>12}  by")
    for way in device_memory.PASSES:
        tries = device_memory.candidates(way, BUFFER)
        best, _ = device_memory.best_of(tries)
        work = device_memory.PASSES[way] * BUFFER
        rates[way] = compare(f"memory/{way}", tries[best], work, "bytes/s", best, missed)
        del tries
        torch.cuda.empty_cache()
    product = device_gemm.product("bf16", SIDE)
    compare("gemm/bf16 8192", product, device_gemm.operations(SIDE), "flop/s", "torch.mm", missed)
    pinned = host_copy.transfer("host-to-device/pinned", HOST_BUFFER)
    rates["pinned"] = compare("host-to-device/pinned", pinned, HOST_BUFFER, "bytes/s", "copy_", missed)
    rates["pageable"] = HOST_BUFFER / pageable_seconds()
    check_levels(rates, missed)
    print("\n".join(["", *[f"missed: {one}" for one in missed]]) if missed else "\nall within bounds")
    return 1 if missed else 0


def compare(name: str, call, work: float, unit: str, by: str, missed: list[str]) -> float:
    """Print one line; both rulers see the same number of rounds, each after the same rest."""
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(rested(lambda: our_seconds(call)))
        theirs.append(rested(lambda: do_bench(call, warmup=25, rep=100, return_mode="median") * 1e-3))
    mine, reference = statistics.median(ours), statistics.median(theirs)
    apart = mine / reference - 1
    rate = work / mine
    print(
        f"{name:24} {seconds(mine):>10} {seconds(reference):>10} {100 * apart:+7.2f}%  {quantity(rate, unit):>12}  {by}"
    )
    if abs(apart) > DIFFERENCE:
        missed.append(f"{name} is {percent(apart)} away from do_bench, {percent(DIFFERENCE)} are allowed")
    return rate


def our_seconds(call) -> float:
    """With do_bench's own schedule, 25 ms of warm-up and 100 ms of readings: the card is as warm in both."""
    calls = calls_for(call, LEAST_SECONDS)
    batch = calls * min(read_batches(call, calls, 2))
    read_batches(call, calls, max(1, round(0.025 / batch)))
    return statistics.median(read_batches(call, calls, max(5, round(0.1 / batch))))


def rested(measure) -> float:
    torch.cuda.synchronize()
    time.sleep(REST_SECONDS)
    return measure()


def pageable_seconds() -> float:
    call = host_copy.transfer("host-to-device/pageable", HOST_BUFFER)

    def done() -> None:
        call()
        torch.cuda.synchronize()

    return statistics.median(host_samples(done, Plan()))


def check_levels(rates: dict[str, float], missed: list[str]) -> None:
    sheet = find(torch.cuda.get_device_name())
    print()
    if sheet is None:
        missed.append(f"there is no data sheet for {torch.cuda.get_device_name()!r}")
    else:
        for way, least in (("copy", LEAST_COPY), ("write", LEAST_WRITE), ("read", None)):
            share = rates[way] / sheet.memory_bytes_s
            print(f"{way} is {percent(share)} of the data sheet's {quantity(sheet.memory_bytes_s, 'bytes/s')}")
            if share > 1.02 or (least is not None and share < least):
                missed.append(f"{way}: {percent(share)} of the data sheet")
    times = rates["pinned"] / rates["pageable"]
    print(f"pinned is {times:.1f}x pageable ({quantity(rates['pageable'], 'bytes/s')})")
    if times < LEAST_PINNED:
        missed.append(f"pinned is only {times:.1f}x pageable")


if __name__ == "__main__":
    sys.exit(main())
