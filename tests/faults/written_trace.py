"""A small trace in Kineto's format, written and not recorded: kernels on three streams, NCCL's among them.

It stands for what one GPU cannot record, communication, where two ways of counting are held against each other.
"""

import gzip
import json
from pathlib import Path
from typing import Any

MATH, COPY, NCCL = 7, 13, 20  # streams
STEP_US = 1_000.0
WORK = (  # name, category, stream, start and length in the step, how long before its start it was launched
    ("sm90_gemm_bf16", "kernel", MATH, 20.0, 300.0, 15.0),
    ("elementwise_kernel", "kernel", MATH, 330.0, 50.0, 200.0),
    ("sm90_gemm_bf16", "kernel", MATH, 480.0, 120.0, 20.0),
    ("vectorized_kernel", "kernel", MATH, 605.0, 15.0, 120.0),
    ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "kernel", NCCL, 250.0, 400.0, 30.0),
    ("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy", COPY, 700.0, 90.0, 10.0),
    ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "kernel", NCCL, 760.0, 100.0, 5.0),
    ("Memset (Device)", "gpu_memset", MATH, 900.0, 4.0, 250.0),
)


def written(folder: Path, steps: int = 4) -> Path:
    events: list[dict[str, Any]] = []
    for number in range(steps):
        begin = 10_000.0 + number * STEP_US
        where = {"ph": "X", "pid": 1, "tid": 1}
        mark = {"name": f"ProfilerStep#{number}", "cat": "user_annotation", "ts": begin, "dur": STEP_US - 1}
        events.append({**where, **mark, "args": {"External id": number + 1}})
        for place, work in enumerate(WORK):
            events += _launched(begin, 1 + number * len(WORK) + place, *work)
    content = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "written by hand"}],
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2},
        "traceEvents": sorted(events, key=lambda event: event["ts"]),
    }
    path = folder / "written.json.gz"
    path.write_bytes(gzip.compress(json.dumps(content).encode(), mtime=0))
    return path


def _launched(
    begin: float, number: int, name: str, category: str, stream: int, start: float, length: float, before: float
) -> list[dict[str, Any]]:
    """The work and the call that launched it."""
    call = {"kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}[category]
    ids = {"correlation": number, "External id": number}
    launch = {"name": call, "cat": "cuda_runtime", "pid": 1, "tid": 1, "ts": begin + start - before, "dur": 4.0}
    work = {"name": name, "cat": category, "pid": 0, "tid": stream, "ts": begin + start, "dur": length}
    return [
        {"ph": "X", **launch, "args": {**ids, "cbid": 211}},
        {"ph": "X", **work, "args": {**ids, "device": 0, "stream": stream, "context": 1}},
    ]
