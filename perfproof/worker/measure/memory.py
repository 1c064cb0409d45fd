"""Peak memory of a region, read in a process that runs one side only.

A fork starts with its parent's high-water mark, so the kernel's mark is reset first (`clear_refs`), free heap is given
back, and the peak counts from what is resident then. On a GPU it is the allocator's own peak over what was live.

Some builds of torch (aarch64) have an allocator of their own, which keeps what was freed and cannot be told to give it
back. A new tensor then takes memory that is resident already. There torch's own record of its tensors counts, and of
the resident set only what grew beyond all that they ever took: that belongs to other libraries.

What child processes take beyond what they inherit counts too: of those that have ended the largest one, of others each.
"""

import contextlib
import ctypes
import gc
import math
import os
import resource
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import torch

PAGE = 4096
SPARE = 1.25
CONTEXT_BYTES = 600 * 2**20  # that a process takes of a GPU before it has a tensor there
M_MMAP_THRESHOLD, LARGE = -3, 128 * 1024  # glibc's own starting value
TRIED = 8 * 2**20  # bytes of the tensor that shows whether freed memory is kept
RESIDENT, TENSORS = "resident set, VmHWM", "tensors, and the resident set beyond them"


@dataclass(frozen=True)
class Peak:
    bytes: int
    counter: str
    quantum: int


def peak_of(region: Callable[[], None], device: str) -> Peak | None:
    """None where no counter can be read: absent is not zero."""
    gc.collect()
    return _peak_on_cuda(region) if device.startswith("cuda") else _peak_on_cpu(region)


def held_by(action: Callable[[], None], device: str) -> int:
    """How much more is held after it than before."""
    if device.startswith("cuda") or not _keeps_what_is_freed():
        before = _live_bytes(device)
        action()
        return max(0, _live_bytes(device) - before)
    _tensors_of(_a_few_tensors)
    before = _live_bytes(device)
    tensors = _tensors_of(action)
    return max(0, tensors.left) + max(0, _live_bytes(device) - before - tensors.total)


def _live_bytes(device: str) -> int:
    """What is held now, free memory given back first."""
    gc.collect()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
        return torch.cuda.memory_allocated()
    ctypes.CDLL(None).malloc_trim(0)
    return _status_bytes("VmRSS")


def fits(size: int, device: str, most: float = math.inf) -> bool:
    """Is there room for so many bytes more, and a little beside them? `most` is what this process may still take."""
    if device.startswith("cuda"):
        free: float = torch.cuda.mem_get_info(device)[0] + torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    else:
        free = min(most, _kib("/proc/meminfo", "MemAvailable") * 1024)
    return SPARE * size < free


def room(device: str, most: float = math.inf) -> float:
    """How many more processes like this one, at its largest, there is memory for, on the host and on the device."""
    host = min(most, _kib("/proc/meminfo", "MemAvailable") * 1024) / max(PAGE, _status_bytes("VmRSS"))
    if device.startswith("cuda"):
        without = torch.cuda.mem_get_info(device)[0] + torch.cuda.memory_reserved() + CONTEXT_BYTES
        return min(host, without / (torch.cuda.max_memory_reserved() + CONTEXT_BYTES) - 1)
    return host


def _kib(path: str, name: str) -> int:
    with open(path) as file:
        return next((int(line.split()[1]) for line in file if line.startswith(name)), 0)


def _peak_on_cpu(region: Callable[[], None]) -> Peak | None:
    libc = ctypes.CDLL(None)
    # glibc raises this threshold with every large block that is freed and then keeps such blocks: what is resident
    # would depend on what was freed before. Fixed, large blocks come and go with their owners, and peaks are exact.
    libc.mallopt(M_MMAP_THRESHOLD, LARGE)
    try:
        kept = _keeps_what_is_freed()
        libc.malloc_trim(0)
        if kept:
            _tensors_of(_a_few_tensors)  # what recording takes itself is there before the region
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return None
    before, inherited, ended = _status_bytes("VmRSS"), _status_bytes("RssAnon"), _faults_of_ended()
    quantum = PAGE * torch.get_num_threads() * 16
    if not kept:
        region()
        return Peak(max(0, _status_bytes("VmHWM") - before) + _of_children(inherited, ended), RESIDENT, quantum)
    tensors = _tensors_of(region)
    beyond = max(0, _status_bytes("VmHWM") - before - tensors.total)
    return Peak(tensors.most + beyond + _of_children(inherited, ended), TENSORS, quantum)


def _of_children(inherited: int, ended: int) -> int:
    """Bytes that children took beyond what a fork of this process begins with.

    More faults than `ended` means that some have ended since; the system knows the largest of all that ever did. A fork
    inherits what is in no file; the pages of libraries that it reads are its own. A child that is another program
    inherits nothing, and is taken to.
    """
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    peaks = [largest] if _faults_of_ended() > ended else []
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError), open(f"/proc/self/task/{task}/children") as file:
            peaks += [_kib(f"/proc/{child}/status", "VmHWM") * 1024 for child in file.read().split()]
    return sum(max(0, peak - inherited) for peak in peaks)


def _faults_of_ended() -> int:
    """Page faults of all children that have ended: every process has some."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


@cache
def _keeps_what_is_freed() -> bool:
    """Does a tensor that is freed stay resident, or a new one take what an earlier one left?"""
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)
    for _ in range(2):
        before = _live_bytes("cpu")
        block = torch.ones(TRIED // 4)
        held = _status_bytes("VmRSS") - before
        del block
        left = _live_bytes("cpu") - before
        if held < TRIED / 2 or left > TRIED / 2:
            return True
    return False


@dataclass(frozen=True)
class Tensors:
    """Bytes of tensors: what is left of them, the most at once, and all that were ever allocated."""

    left: int
    most: int
    total: int


def _a_few_tensors() -> None:
    for _ in range(100):
        torch.ones(1)


def _tensors_of(action: Callable[[], None]) -> Tensors:
    """By torch's record of its allocations."""
    with torch.autograd.profiler.profile(profile_memory=True, acc_events=False) as record:
        action()
    events = record.kineto_results.events() if record.kineto_results else []  # type: ignore[attr-defined]
    changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    levels = list(accumulate((size for _, size in changes), initial=0))
    return Tensors(levels[-1], max(levels), sum(size for _, size in changes if size > 0))


def _peak_on_cuda(region: Callable[[], None]) -> Peak:
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    region()
    torch.cuda.synchronize()
    return Peak(max(0, torch.cuda.max_memory_allocated() - before), "CUDA allocator, allocated", 512)


def _status_bytes(field: str) -> int:
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")
