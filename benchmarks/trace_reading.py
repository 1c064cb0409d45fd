"""How long does a large trace take to read, and how much memory?

    python benchmarks/trace_reading.py               300 MB of a synthetic torch.profiler trace; limits 60 s and 1.5 GB
    python benchmarks/trace_reading.py --mb 50       smaller
    python benchmarks/trace_reading.py --gzip        packed

The trace is written into a temporary folder: operators, their launches and kernels with the arguments that Kineto
writes. It is read in a fresh process; memory is the peak of that process, Python itself included. Then `perfproof
diagnose` and `perfproof view` are run on it as a user would (--no-commands leaves them out). Ends with 1 where a limit
is exceeded.
"""

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SECONDS, PEAK_BYTES = 60.0, 1.5e9
STEP = 1000  # launches
MARK = "<<peak>>"
CHILD = f"""
import resource, sys, time
from pathlib import Path
from perfproof.profile.reading import read
began = time.perf_counter()
events = read(Path(sys.argv[1]))
took = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
began = time.perf_counter()
from perfproof.profile.breakdown import devices, temporal
shares = [temporal(events, rank, device) for rank, device in devices(events)]
print("{MARK}", len(events), took, peak, time.perf_counter() - began, len(events.names), len(events.arguments))
"""


COMMANDS = {"diagnose": ["--html"], "view": ["--output"]}
MEASURED = f"""
import resource, sys
from perfproof.cli.app import main
code = main(sys.argv[1:])
print("{MARK}", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=sys.stderr)
sys.exit(code)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=300)
    parser.add_argument("--gzip", action="store_true")
    parser.add_argument("--no-commands", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("trace.json.gz" if options.gzip else "trace.json")
        began = time.perf_counter()
        written = write(path, options.mb * 1e6)
        print(f"written       {written / 1e6:.0f} MB of JSON in {time.perf_counter() - began:.1f} s")
        child = subprocess.run([sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True)
        used = {} if options.no_commands else {name: command(name, path) for name in COMMANDS}
    if MARK not in child.stdout:
        sys.exit(f"reading failed: {child.stderr[-500:]}")
    rows, seconds, peak, analysis, names, arguments = map(float, child.stdout.rpartition(MARK)[2].split())
    print(
        f"read          {rows:,.0f} rows in {seconds:.1f} s, {written / 1e6 / seconds:.0f} MB/s (limit {SECONDS:.0f} s)"
    )
    print(f"peak memory   {peak / 1e6:.0f} MB (limit {PEAK_BYTES / 1e6:.0f} MB)")
    print(f"kept once     {names:,.0f} names, {arguments:,.0f} sets of arguments")
    print(f"breakdown     {analysis:.1f} s")
    for name, (took, most) in used.items():
        print(f"{name:<13} {took:.1f} s, peak memory {most / 1e6:.0f} MB, all in all")
    return int(seconds > SECONDS or peak > PEAK_BYTES)


def command(name: str, path: Path) -> tuple[float, float]:
    """Seconds and peak memory of a command of ours on the trace."""
    began = time.perf_counter()
    arguments = [name, str(path), *COMMANDS[name], str(path.with_suffix(f".{name}.html"))]
    done = subprocess.run([sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"perfproof {name} failed: {done.stderr[-500:]}")
    return time.perf_counter() - began, float(done.stderr.rpartition(MARK)[2])


def write(path: Path, size: float) -> int:
    """At least so many bytes of events; how many bytes of JSON it became."""
    written = 0
    opening = json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "synthetic"}]})[:-1]
    with gzip.open(path, "wt", compresslevel=1) if path.suffix == ".gz" else path.open("w") as file:
        written += file.write(f'{opening}, "baseTimeNanoseconds": 1790857026000000000, "traceEvents": [\n')
        correlation = 0
        while written < size:
            correlation += 1
            written += file.write("".join(json.dumps(event, indent=2) + ",\n" for event in launch(correlation)))
        written += file.write(json.dumps({"ph": "i", "name": "Record Window End", "ts": 1.5, "s": "g"}) + "\n]}")
    return written


def launch(number: int) -> Iterator[dict[str, object]]:
    """An operator, its launch, its kernel, and the arrow between them; a step holds STEP of them."""
    at = 3_876_131_167_515.967 + number * 20
    if number % STEP == 1:
        yield event("user_annotation", f"ProfilerStep#{number // STEP}", 900, 901, at - 1, STEP * 20 - 2)
    op, shape = number % 40, [64 * (1 + number % 40), 4096]
    yield event("cpu_op", f"aten::operator_{op}", 900, 901, at, 15.25) | {
        "args": {
            "External id": number,
            "Record function id": 0,
            "Sequence number": number,
            "Fwd thread id": 0,
            "Concrete Inputs": ["", "", "1"],
            "Input type": ["c10::BFloat16", "c10::BFloat16", "Scalar"],
            "Input Strides": [[4096, 1], [1, 4096], []],
            "Input Dims": [shape, [4096, 4096], []],
            "Ev Idx": number,
        }
    }
    yield event("cuda_runtime", "cudaLaunchKernel", 900, 901, at + 5, 4.125) | {
        "args": {"External id": number, "cbid": 211, "correlation": number}
    }
    yield event("kernel", f"void kernel_{op}<float, {op}>(long, long, float*)", 0, 7, at + 12, 9.5) | {
        "args": {
            "External id": number,
            "queued": 0,
            "device": 0,
            "context": 1,
            "stream": 7 + number % 2,
            "correlation": number,
            "registers per thread": 32 + op,
            "shared memory": 0,
            "blocks per SM": 1.5 + op,
            "warps per SM": 6.25,
            "grid": [op + 1, 1, 1],
            "block": [128, 1, 1],
            "est. achieved occupancy %": 37,
        }
    }
    arrow: dict[str, object] = {"cat": "ac2g", "name": "ac2g", "id": number}
    yield {"ph": "s", "pid": 900, "tid": 901, "ts": at + 5} | arrow
    yield {"ph": "f", "pid": 0, "tid": 7, "ts": at + 12, "bp": "e"} | arrow


def event(category: str, name: str, process: int, thread: int, start: float, duration: float) -> dict[str, object]:
    where = {"pid": process, "tid": thread, "ts": round(start, 3), "dur": duration}
    return {"ph": "X", "cat": category, "name": name, **where}


if __name__ == "__main__":
    sys.exit(main())
