"""Watch what one side could change for the other: patched functions, global flags, threads, what runs on after return.

A pair's sides share a process while they are timed. Whatever a side replaces or switches and does not put back would
reach the other side, or the harness; it is found by looking before and after.
"""

import builtins
import gc
import math
import os
import signal
import statistics
import sys
import threading
import time
from typing import Any

import numpy
import psutil
import torch

_sleep, _thread_time, _process_time = time.sleep, time.thread_time, time.process_time

# Whose attributes must be the same objects afterwards. New attributes are allowed: libraries load lazily.
GUARDED: tuple[tuple[str, Any], ...] = (
    ("builtins", builtins),
    ("time", time),
    ("math", math),
    ("statistics", statistics),
    ("os", os),
    ("gc", gc),
    ("signal", signal),
    ("threading", threading),
    ("numpy", numpy),
    ("torch", torch),
    ("torch.Tensor", torch.Tensor),
    ("torch.cuda", torch.cuda),
    ("torch.cuda.Event", torch.cuda.Event),
    ("torch.cuda.Stream", torch.cuda.Stream),
    ("torch.nn.functional", torch.nn.functional),
    ("torch.linalg", torch.linalg),
    ("torch.random", torch.random),
    ("torch.testing", torch.testing),
)
_MOVING = {"_", "__warningregistry__", "__builtins__", "default_generators", "_initialized", "_cached_device_count"}

QUIET_SECONDS, SETTLE_SECONDS = 0.025, 0.005
IDLE_SHARE = 0.1


def functions() -> dict[str, int]:
    """The identity of every guarded function and class."""
    seen = {}
    for name, owner in GUARDED:
        for key, value in vars(owner).items():
            if key not in _MOVING and (callable(value) or isinstance(value, (staticmethod, classmethod, property))):
                seen[f"{name}.{key}"] = id(value)
    return seen


def patched(before: dict[str, int]) -> list[str]:
    """Names whose function is another one than before, or gone."""
    now = functions()
    return sorted(name for name, identity in before.items() if now.get(name) != identity)


def flags() -> dict[str, Any]:
    """Process-wide switches that change how fast or how exactly tensors are computed."""
    return {
        "torch.get_num_threads()": torch.get_num_threads(),
        "torch.get_default_dtype()": str(torch.get_default_dtype()),
        "torch.get_default_device()": str(torch.get_default_device()),
        "torch.is_grad_enabled()": torch.is_grad_enabled(),
        "torch.get_float32_matmul_precision()": torch.get_float32_matmul_precision(),
        "torch.are_deterministic_algorithms_enabled()": torch.are_deterministic_algorithms_enabled(),
        "torch.backends.mkldnn.enabled": torch.backends.mkldnn.enabled,
        "torch.backends.cudnn.benchmark": torch.backends.cudnn.benchmark,
        "torch.backends.cudnn.enabled": torch.backends.cudnn.enabled,
        "flush denormals": _flushes_denormals(),
        "garbage collector": gc.isenabled(),
        "sys.settrace": sys.gettrace() is not None,
        "sys.setprofile": sys.getprofile() is not None,
        "sys.getswitchinterval()": sys.getswitchinterval(),
        "CPU affinity": sorted(os.sched_getaffinity(0)),
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "working directory": os.getcwd(),
        "environment": hash(frozenset(os.environ.items())),
    }


def switched(before: dict[str, Any]) -> list[str]:
    now = flags()
    return [f"{name}: {_short(before[name])} to {_short(now[name])}" for name in before if now[name] != before[name]]


def busy_after_return() -> float:
    """Share of a core that other threads and children of this process use while the main thread does nothing.

    The first moments are left out: OpenMP threads spin a little after every parallel region.
    """
    _sleep(SETTLE_SECONDS)
    ours, everything, children = _thread_time(), _process_time(), _children_seconds()
    started = time.monotonic()
    _sleep(QUIET_SECONDS)
    foreign = (_process_time() - everything) - (_thread_time() - ours) + (_children_seconds() - children)
    return foreign / (time.monotonic() - started)


def tasks() -> int:
    """Threads of this process, Python's or not, and its children."""
    return len(os.listdir("/proc/self/task")) + len(_children())


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


def _flushes_denormals() -> bool:
    return bool((torch.tensor([1e-310], dtype=torch.float64) * 0.5 == 0).item())


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."
