"""Record what runs inside `with capture() as step:`, as PERFPROOF_CAPTURE says, in the profiled program's interpreter.

Nothing but the standard library and, once the capture begins, torch or triton is imported: a user's interpreter need
not have perfproof. PERFPROOF_CAPTURE is a JSON object: kind (torch, memory, proton, range, warm, none), output (without
a suffix; {rank} stands for the rank), what to record (shapes, stacks, memory, flops), whether it is all steady calls.
Where it is, each call is made inside `with step():`, so that whoever reads the recording sees the steps.
"""

import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

VARIABLE = "PERFPROOF_CAPTURE"
STEADY, STEP = "perfproof_steady", "step"
WARM_MARK = "perfproof: warm-up is over"  # as the reader of the compiler's log knows it
WARM_BATCHES = 2
MOST_ENTRIES = 100_000  # of the allocator's history; without a limit it grows by kilobytes an allocation


Step = Callable[[], AbstractContextManager[Any]]


@contextmanager
def capture() -> Iterator[Step]:
    """Begin and end the recording; programs that this one starts do not record. What it gives marks a step."""
    wish = json.loads(os.environ.pop(VARIABLE, '{"kind": "none"}'))
    output = wish.get("output", "").replace("{rank}", os.environ.get("RANK", "0"))
    kinds = {"torch": _torch, "memory": _memory, "proton": _proton, "range": _range, "warm": _warm}
    with kinds[wish["kind"]](output, wish) if wish["kind"] in kinds else nullcontext(nullcontext) as step:
        yield step


@contextmanager
def _torch(output: str, wish: dict[str, Any]) -> Iterator[Step]:
    torch = importlib.import_module("torch")
    profiler = importlib.import_module("torch.profiler")
    activities = [profiler.ProfilerActivity.CPU]
    extra: dict[str, Any] = {}
    if torch.cuda.is_available():
        activities.append(profiler.ProfilerActivity.CUDA)
        settings = importlib.import_module("torch._C._profiler")._ExperimentalConfig
        extra["experimental_config"] = settings(enable_cuda_sync_events=True)

    def begin() -> Any:
        return _Recording(
            torch,
            profiler.profile(
                activities=activities,
                record_shapes=bool(wish.get("shapes")),
                with_stack=bool(wish.get("stacks")),
                profile_memory=bool(wish.get("memory")),
                with_flops=bool(wish.get("flops")),
                **extra,
            ),
            samples=not wish.get("steady"),
        )

    def save(recording: Any) -> None:
        recording.write(output)

    with profiler.record_function(STEP):
        pass  # the first range of a process loads much of torch: before the recording it is in nobody's time
    if wish.get("window"):
        with _window(output, begin, save, wish["window"]):
            yield lambda: profiler.record_function(STEP)
        return
    recording = begin()
    try:
        with profiler.record_function(STEADY) if wish.get("steady") else nullcontext():
            yield lambda: profiler.record_function(STEP)
    finally:
        recording.stop()
        save(recording)


class _Recording:
    """torch's profiler, and beside it, for a program of the user's, sampled stacks."""

    def __init__(self, torch: Any, profile: Any, samples: bool) -> None:
        self.torch, self.profile = torch, profile
        self.profile.start()
        # A GPU's memory may be nearly full: variables that were looked at stay in it for longer.
        self.stacks = _sibling("sampling").Stacks(values=not torch.cuda.is_available()) if samples else None

    def stop(self) -> None:
        if self.stacks is not None:
            self.stacks.stop()
            threads = {"torch": self.torch.get_num_threads(), **self.stacks.threads()}
            self.profile.add_metadata_json("perfproof_threads", json.dumps(threads))
            self.profile.add_metadata_json("perfproof_debug_modes", json.dumps(_debug_modes(self.torch)))
        _synchronise(self.torch)
        self.profile.stop()

    def write(self, output: str) -> None:
        self.profile.export_chrome_trace(f"{output}.trace.json.gz")
        if self.stacks is not None:
            self.stacks.write(f"{output}.samples.json")


def _debug_modes(torch: Any) -> list[str]:
    """Switches that find mistakes, make a program much slower, and are easily left on."""
    asyncio = sys.modules.get("asyncio")
    modes = {
        "torch.autograd.set_detect_anomaly": torch.is_anomaly_enabled(),
        "sys.settrace (a debugger, or coverage)": sys.gettrace() is not None,
        "python -X dev": sys.flags.dev_mode,
        "PYTHONASYNCIODEBUG": asyncio is not None and bool(os.environ.get("PYTHONASYNCIODEBUG")),
        "PYTHONMALLOC=debug": "debug" in os.environ.get("PYTHONMALLOC", ""),
        "tracemalloc": "tracemalloc" in sys.modules and sys.modules["tracemalloc"].is_tracing(),
    }
    return [name for name, is_on in modes.items() if is_on]


@contextmanager
def _window(
    output: str,
    begin: Callable[[], Any],
    save: Callable[[Any], None],
    wish: dict[str, Any],
    only_steady: bool = False,
) -> Iterator[None]:
    """Record a few steady steps; what was recorded is written beside the trace when that is complete."""
    own, told = _sibling("window"), f"{output}.window.json"

    def save_and_tell(recording: Any) -> None:
        save(recording)
        own.write_told(told, window)

    def begin_unsaid() -> Any:
        with suppress(FileNotFoundError):
            os.remove(told)  # a recording that is taken again is not complete
        return begin()

    window = own.Window(begin_unsaid, save_and_tell, wish, only_steady)
    undo, unwatch = own.count_steps(window.tick), own.watch_ranges(window)
    window.watch()
    try:
        yield
    finally:
        undo()
        unwatch()
        window.finish()


def _sibling(name: str) -> Any:
    """By its path: the folder of this file must not be one to import from."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"_perfproof_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def _memory(output: str, wish: dict[str, Any]) -> Iterator[Step]:
    """The allocator's history on a GPU; on a CPU the profiler's record of every allocation."""
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        with _torch(output, {**wish, "memory": True, "shapes": True}) as step:
            yield step
        return
    memory = torch.cuda.memory
    known = inspect.signature(memory._record_memory_history).parameters
    more = {"global_record_annotations": True} if "global_record_annotations" in known else {}
    memory._record_memory_history(max_entries=MOST_ENTRIES, **more)
    if wish.get("window"):
        with _window(output, _Kept, lambda _: _dump(torch, output), wish["window"]):
            yield nullcontext
        return
    try:
        yield lambda: importlib.import_module("torch.profiler").record_function(STEP)
    finally:
        _dump(torch, output)


class _Kept:
    """A recording that goes on from the program's start: who holds memory in the steady state took it there."""

    def stop(self) -> None:
        pass


def _dump(torch: Any, output: str) -> None:
    _synchronise(torch)
    torch.cuda.memory._dump_snapshot(f"{output}.pickle")
    torch.cuda.memory._record_memory_history(enabled=None)


@contextmanager
def _proton(output: str, wish: dict[str, Any]) -> Iterator[Step]:
    proton = importlib.import_module("triton.profiler")
    if wish.get("window"):
        with _window(output, lambda: _Proton(proton, output), lambda _: None, wish["window"], only_steady=True):
            yield nullcontext
        return
    proton.start(output, context="shadow", hook="triton")
    try:
        with proton.scope(STEADY) if wish.get("steady") else nullcontext():
            yield nullcontext
            _synchronise(importlib.import_module("torch"))
    finally:
        proton.finalize()


@contextmanager
def _range(output: str, wish: dict[str, Any]) -> Iterator[Step]:
    """For a profiler that watches from outside: cudaProfilerStart and -Stop, and a range of NVTX."""
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        yield nullcontext
        return
    if wish.get("window"):
        with _window(output, lambda: _Range(torch), lambda _: None, wish["window"], only_steady=True):
            yield nullcontext
        return
    _synchronise(torch)
    torch.cuda.cudart().cudaProfilerStart()
    torch.cuda.nvtx.range_push(STEADY)
    try:
        yield lambda: torch.cuda.nvtx.range(STEP)
        _synchronise(torch)
    finally:
        torch.cuda.nvtx.range_pop()
        torch.cuda.cudart().cudaProfilerStop()


class _Proton:
    """Proton in the midst of a program."""

    def __init__(self, proton: Any, output: str) -> None:
        self.proton = proton
        proton.start(output, context="shadow", hook="triton")

    def stop(self) -> None:
        _synchronise(importlib.import_module("torch"))
        self.proton.finalize()


class _Range:
    """From cudaProfilerStart to -Stop, in the midst of a program."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        _synchronise(torch)
        torch.cuda.cudart().cudaProfilerStart()

    def stop(self) -> None:
        _synchronise(self.torch)
        self.torch.cuda.cudart().cudaProfilerStop()


@contextmanager
def _warm(output: str, wish: dict[str, Any]) -> Iterator[Step]:
    """For the compiler's log: say when a loop over a DataLoader has had its first batches. Nothing is recorded."""
    if importlib.util.find_spec("torch") is None:
        yield nullcontext
        return
    loading = importlib.import_module("torch.utils.data.dataloader")._BaseDataLoaderIter
    given, taken = loading.__next__, 0

    def counted(self: Any) -> Any:
        nonlocal taken
        taken += 1
        if taken == WARM_BATCHES + 1:
            print(WARM_MARK, file=sys.stderr, flush=True)
        return given(self)

    loading.__next__ = counted
    try:
        yield nullcontext
    finally:
        loading.__next__ = given


def _synchronise(torch: Any) -> None:
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
