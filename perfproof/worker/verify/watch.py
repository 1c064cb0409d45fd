"""Watch what one side could leave behind for the other: global switches, threads, work that goes on after return.

A pair's sides share a process while they are timed. Whatever a side switches or starts and does not put back would
reach the other side; it is found by looking before and after.
"""

import decimal
import functools
import gc
import locale
import logging
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy
import psutil
import torch
import torch.distributed

_sleep, _thread_time, _process_time, _clock_time = time.sleep, time.thread_time, time.process_time, time.clock_gettime
_clock_of_thread, _frames = time.pthread_getcpuclockid, sys._current_frames
_SIGNALS = (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGUSR1, signal.SIGUSR2, signal.SIGIO)
_COMPILERS = (
    "TORCHINDUCTOR_",
    "_TORCHINDUCTOR_",
    "TRITON_",
)  # they set variables of their own when they are first used
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)

QUIET_SECONDS, SETTLE_SECONDS, SPINNING_SECONDS = 0.025, 0.005, 0.02
MOST_WAIT_SECONDS = 6.0
LOOKS = 3
IDLE_SHARE = 0.1
VARIABLE = "environment variable "


def flags() -> dict[str, Any]:
    """Process-wide switches that change how fast or how exactly something is computed."""
    return {
        **_torch_flags(),
        "decimal.getcontext()": _decimal_context(),
        "numpy.geterr()": numpy.geterr(),
        "numpy.getbufsize()": numpy.getbufsize(),
        "locale": locale.setlocale(locale.LC_ALL),
        "logging.disable": logging.root.manager.disable,
        "garbage collector": gc.isenabled(),
        "gc.get_threshold()": gc.get_threshold(),
        "gc.callbacks": [id(callback) for callback in gc.callbacks],
        "sys.settrace": sys.gettrace() is not None,
        "sys.setprofile": sys.getprofile() is not None,
        "sys.getswitchinterval()": sys.getswitchinterval(),
        "signal handlers": [id(signal.getsignal(number)) for number in _SIGNALS],
        "interval timers": [signal.getitimer(timer)[1] for timer in _TIMERS],
        "CPU affinity": sorted(os.sched_getaffinity(0)),
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "scheduler": os.sched_getscheduler(0),
        "working directory": os.getcwd(),
        **{f"{VARIABLE}{name}": os.environ[name] for name in os.environ if not name.startswith(_COMPILERS)},
    }


def _torch_flags() -> dict[str, Any]:
    return {
        "torch function modes": torch._C._len_torch_function_stack(),  # first: a mode would see what follows
        "torch dispatch modes": torch._C._len_torch_dispatch_stack(),
        "torch.get_num_threads()": torch.get_num_threads(),
        "torch.get_default_dtype()": str(torch.get_default_dtype()),
        "torch.get_default_device()": str(torch.get_default_device()),
        "torch.is_grad_enabled()": torch.is_grad_enabled(),
        "torch.is_inference_mode_enabled()": torch.is_inference_mode_enabled(),
        "torch.is_anomaly_enabled()": torch.is_anomaly_enabled(),
        "torch.is_autocast_enabled()": [torch.is_autocast_enabled(device) for device in ("cpu", "cuda")],
        "profiler of torch": torch.autograd._profiler_enabled(),
        "torch.are_deterministic_algorithms_enabled()": torch.are_deterministic_algorithms_enabled(),
        "torch.backends.mkldnn.enabled": torch.backends.mkldnn.enabled or _falls_back_from_mkldnn(),
        "torch.backends.cudnn.benchmark": torch.backends.cudnn.benchmark,
        "torch.backends.cudnn.enabled": torch.backends.cudnn.enabled,
        **{name: _read(switch) for name, switch in _SWITCHES.items()},
        "flush denormals": _flushes_denormals(),
        "process group of torch.distributed": _default_group(),
    }


_SWITCHES: dict[str, Callable[[], Any]] = {
    "torch.get_float32_matmul_precision()": torch.get_float32_matmul_precision,
    "torch.backends.cudnn.allow_tf32": lambda: torch.backends.cudnn.allow_tf32,
    "torch.backends.cudnn.deterministic": lambda: torch.backends.cudnn.deterministic,
    "sums of float16 products in float16": lambda: torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction,
    "sums of bfloat16 products in bfloat16": lambda: torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction,
    "flash attention": torch.backends.cuda.flash_sdp_enabled,
    "memory-efficient attention": torch.backends.cuda.mem_efficient_sdp_enabled,
    "plain attention": torch.backends.cuda.math_sdp_enabled,
    "attention of cuDNN": torch.backends.cuda.cudnn_sdp_enabled,
}


SETTINGS = frozenset(_SWITCHES) | {
    "torch.is_grad_enabled()",
    "torch.are_deterministic_algorithms_enabled()",
    "torch.backends.mkldnn.enabled",
    "torch.backends.cudnn.benchmark",
    "torch.backends.cudnn.enabled",
    "flush denormals",
    "decimal.getcontext()",
    "numpy.geterr()",
    "locale",
    "logging.disable",
    "garbage collector",
    "gc.get_threshold()",
    "sys.getswitchinterval()",
}


def _read(switch: Callable[[], Any]) -> str:
    """torch refuses to read some of them once its newer interface was used: that is a change as well."""
    try:
        return str(switch())
    except RuntimeError:
        return "cannot be read"


def switched(before: dict[str, Any]) -> list[str]:
    now = flags()
    return [f"{name}: {_short(before.get(name))} to {_short(now.get(name))}" for name in _moved(before, now)]


def accept_settings(before: dict[str, Any]) -> list[str]:
    """Take over into `before` what the pair's file has set on import and may set; return the names.

    All sides are instances of one file, so what its first instance sets holds for all of them. That goes for switches
    that say how a library computes. The others reach the harness (modes, handlers, default types) or the layout of
    the cores (threads, affinity), and stay as they were.
    """
    now = flags()
    accepted = [name for name in _moved(before, now) if name in SETTINGS or _is_own_variable(name)]
    for name in accepted:
        before.pop(name, None)
    before.update({name: now[name] for name in accepted if name in now})
    return accepted


def _moved(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return [name for name in {**before, **now} if before.get(name) != now.get(name)]


def _is_own_variable(name: str) -> bool:
    return name.startswith(VARIABLE) and not name.startswith(f"{VARIABLE}PERFPROOF_")


def busy_after_return() -> float:
    """Share of a core that other threads and children of this process use while the main thread does nothing.

    The first moments are left out: OpenMP threads spin for some milliseconds after every parallel region, the harness's
    own included. Who works on goes on at every look; the quietest of a few counts.
    """
    share = 0.0
    for _ in range(LOOKS):
        _sleep(SETTLE_SECONDS if torch.get_num_threads() == 1 else SPINNING_SECONDS)
        share = _busy_share()
        if share <= IDLE_SHARE:
            break
    return share


def wait_until_quiet() -> bool:
    """Does the work of other threads and children end, within a time in which a compiler's processes are ready?"""
    deadline = time.monotonic() + MOST_WAIT_SECONDS
    while _busy_share() > IDLE_SHARE:
        if time.monotonic() > deadline:
            return False
    return True


def _busy_share() -> float:
    ours, everything, children = _thread_time(), _process_time(), _children_seconds()
    started = time.monotonic()
    _sleep(QUIET_SECONDS)
    foreign = (_process_time() - everything) - (_thread_time() - ours) + (_children_seconds() - children)
    return foreign / (time.monotonic() - started)


def foreign_seconds() -> float:
    """CPU seconds so far of other threads of this process than the calling one.

    With several compute threads only Python's can be told from them: those that a pair has started itself.
    """
    if torch.get_num_threads() == 1:
        return _process_time() - _thread_time()
    return python_seconds()


def python_seconds() -> float:
    """CPU seconds so far of Python's threads but the calling one."""
    own = threading.get_ident()
    return sum(_clock_time(_clock_of_thread(ident)) for ident in _frames() if ident != own)


def tasks() -> int:
    """Threads of this process, Python's or not, and its children."""
    return len(os.listdir("/proc/self/task")) + len(_children())


def processes() -> int:
    """Processes that this one has started and that are still there."""
    return len(_children())


def _children() -> list[psutil.Process]:
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []


def _children_seconds() -> float:
    total = 0.0
    for child in _children():
        try:
            times = child.cpu_times()
            total += times.user + times.system
        except psutil.Error:
            continue
    return total


def _decimal_context() -> tuple[Any, ...]:
    """What a context says about results, without the signals that calls leave in it."""
    now = decimal.getcontext()
    return now.prec, now.rounding, now.Emin, now.Emax, [one.__name__ for one, trapped in now.traps.items() if trapped]


@functools.cache
def _falls_back_from_mkldnn() -> bool:
    """On an Arm CPU without bfloat16, torch turns mkldnn off for good at the first product of bfloat16, by itself."""
    return platform.machine() == "aarch64" and not torch.ops.mkldnn._is_mkldnn_bf16_supported()


def _flushes_denormals() -> bool:
    return bool((torch.tensor([1e-310], dtype=torch.float64, device="cpu") * 0.5 == 0).item())


def _default_group() -> int:
    return id(torch.distributed.group.WORLD) if torch.distributed.is_initialized() else 0


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."
