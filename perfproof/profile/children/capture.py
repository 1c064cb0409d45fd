"""Record what runs inside `with capture():`, as PERFPROOF_CAPTURE says. Runs in the profiled program's interpreter.

Nothing but the standard library and, once the capture begins, torch or triton is imported: a user's interpreter need
not have perfproof. PERFPROOF_CAPTURE is a JSON object: kind (torch, memory, proton, range, none), output (without a
suffix; {rank} stands for the rank), what to record (shapes, stacks, memory, flops), and whether it is all steady calls.
"""

import importlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

VARIABLE = "PERFPROOF_CAPTURE"
STEADY = "perfproof_steady"
MOST_ENTRIES = 100_000  # of the allocator's history; without a limit it grows by kilobytes an allocation


@contextmanager
def capture() -> Iterator[None]:
    """Begin and end the recording; programs that this one starts do not record."""
    wish = json.loads(os.environ.pop(VARIABLE, '{"kind": "none"}'))
    output = wish.get("output", "").replace("{rank}", os.environ.get("RANK", "0"))
    kinds = {"torch": _torch, "memory": _memory, "proton": _proton, "range": _range}
    with kinds[wish["kind"]](output, wish) if wish["kind"] in kinds else nullcontext():
        yield


@contextmanager
def _torch(output: str, wish: dict[str, Any]) -> Iterator[None]:
    torch = importlib.import_module("torch")
    profiler = importlib.import_module("torch.profiler")
    activities = [profiler.ProfilerActivity.CPU]
    extra: dict[str, Any] = {}
    if torch.cuda.is_available():
        activities.append(profiler.ProfilerActivity.CUDA)
        settings = importlib.import_module("torch._C._profiler")._ExperimentalConfig
        extra["experimental_config"] = settings(enable_cuda_sync_events=True)
    recording = profiler.profile(
        activities=activities,
        record_shapes=bool(wish.get("shapes")),
        with_stack=bool(wish.get("stacks")),
        profile_memory=bool(wish.get("memory")),
        with_flops=bool(wish.get("flops")),
        **extra,
    )
    recording.__enter__()
    try:
        with profiler.record_function(STEADY) if wish.get("steady") else nullcontext():
            yield
    finally:
        _synchronise(torch)
        recording.__exit__(None, None, None)
        recording.export_chrome_trace(f"{output}.trace.json.gz")


@contextmanager
def _memory(output: str, wish: dict[str, Any]) -> Iterator[None]:
    """The allocator's history on a GPU; on a CPU the profiler's record of every allocation."""
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        with _torch(output, {**wish, "memory": True, "shapes": True}):
            yield
        return
    memory = torch.cuda.memory
    memory._record_memory_history(max_entries=MOST_ENTRIES)
    try:
        yield
    finally:
        _synchronise(torch)
        memory._dump_snapshot(f"{output}.pickle")
        memory._record_memory_history(enabled=None)


@contextmanager
def _proton(output: str, wish: dict[str, Any]) -> Iterator[None]:
    proton = importlib.import_module("triton.profiler")
    proton.start(output, context="shadow", hook="triton")
    try:
        with proton.scope(STEADY) if wish.get("steady") else nullcontext():
            yield
            _synchronise(importlib.import_module("torch"))
    finally:
        proton.finalize()


@contextmanager
def _range(output: str, wish: dict[str, Any]) -> Iterator[None]:
    """For a profiler that watches from outside: cudaProfilerStart and -Stop, and a range of NVTX."""
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        yield
        return
    _synchronise(torch)
    torch.cuda.cudart().cudaProfilerStart()
    torch.cuda.nvtx.range_push(STEADY)
    try:
        yield
        _synchronise(torch)
    finally:
        torch.cuda.nvtx.range_pop()
        torch.cuda.cudart().cudaProfilerStop()


def _synchronise(torch: Any) -> None:
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
