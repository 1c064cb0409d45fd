"""The disk below the working folder: a file of random bytes read back, through the page cache and around it.

The file's pages are dropped from the cache before each repeat; what a hypervisor or a network file system keeps in
caches of its own cannot be dropped from here.
"""

import ctypes
import mmap
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from perfproof.core.ceilings import Ceiling
from perfproof.core.units import MiB, percent
from perfproof.peak.found import Found, NotMeasured, attempt, rate
from perfproof.peak.plan import Plan, scratch_prefix

devices = ("cpu",)
measures = ("disk/buffered", "disk/direct")
timeout = 240

BLOCK = 4 * MiB
LEAST_BYTES = 4 * MiB
CACHED_SHARE = 0.02  # of the file still in the page cache: above it, memory was measured as well


def probe(plan: Plan) -> Iterator[Found]:
    size = plan.file_bytes // BLOCK * BLOCK
    if size < LEAST_BYTES:
        raise NotMeasured(f"too little free space in {Path(plan.folder).name or plan.folder} for a file to read")
    with tempfile.TemporaryDirectory(prefix=scratch_prefix(os.getpid()), dir=plan.folder) as folder:
        path = Path(folder) / "random"
        write_random(path, size)
        if plan.wants("disk/buffered"):
            yield from attempt("disk/buffered", _measure, "disk/buffered", path, 0, plan)
        if plan.wants("disk/direct"):
            yield from attempt("disk/direct", _measure, "disk/direct", path, os.O_DIRECT, plan)


def write_random(path: Path, size: int) -> None:
    with path.open("wb") as file:
        for _ in range(size // BLOCK):
            file.write(os.urandom(BLOCK))
        file.flush()
        os.fsync(file.fileno())


def _measure(name: str, path: Path, flags: int, plan: Plan) -> Ceiling:
    size = path.stat().st_size
    seconds, cached = [], 0.0
    for _ in range(plan.repeats):
        drop_from_cache(path)
        cached = max(cached, cached_share(path))
        seconds.append(read_once(path, flags))
    counted = f"bytes of the file, in blocks of {BLOCK // MiB} MiB, one at a time"
    found = rate(name, size, seconds, "bytes/s", counted, {"file_bytes": size, "block_bytes": BLOCK})
    found.context = {"file_system": file_system(path), "cached_share_before": round(cached, 4)}
    if flags == 0 and cached > CACHED_SHARE:
        found.finding = f"{percent(cached)} of the file stayed in the page cache: partly memory was measured"
    return found


def read_once(path: Path, flags: int) -> float:
    """Seconds to read the file; the buffer is a page mapping, aligned as direct reading demands."""
    try:
        handle = os.open(path, os.O_RDONLY | flags)
    except OSError as error:
        raise NotMeasured(f"{file_system(path)} does not read directly: {error.strerror}") from None
    with mmap.mmap(-1, BLOCK) as buffer:
        try:
            start = time.perf_counter()
            while os.readv(handle, [buffer]) > 0:
                pass
            return time.perf_counter() - start
        finally:
            os.close(handle)


def drop_from_cache(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def cached_share(path: Path) -> float:
    """The share of the file's pages that memory still holds, as the kernel's mincore tells."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapping:
        pages = (len(mapping) + mmap.PAGESIZE - 1) // mmap.PAGESIZE
        marks = ctypes.create_string_buffer(pages)
        view = ctypes.c_char.from_buffer(mapping)
        failed = libc.mincore(ctypes.addressof(view), len(mapping), marks)
        del view  # the mapping cannot be closed while it is looked at
    return 1.0 if failed else sum(mark & 1 for mark in marks.raw) / pages


def file_system(path: Path) -> str:
    """The type of the file system that holds `path`, by the longest mount point above it."""
    best, kind = "", "unknown file system"
    try:
        mounts = Path("/proc/self/mounts").read_text().splitlines()
    except OSError:
        return kind
    for line in mounts:
        _, point, name, *_ = line.split()
        inside = str(path.resolve()).startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, name
    return kind
