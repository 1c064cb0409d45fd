"""Snapshots of torch's GPU allocator (`torch.cuda.memory._dump_snapshot`): a pickle, of which nothing is executed.

A pickle can name any function and have it called. A snapshot is made of plain containers and numbers only, so the
unpickler here knows no names at all: a file that asks for one is refused, and the name it asked for is said.
"""

import pickle
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, Kind, Total, whole
from perfproof.profile.ledger import Held, Ledger
from perfproof.profile.opening import opened

BEGINS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
SUFFIXES = (".pickle", ".pkl")
MOST_ENTRIES = 20_000_000  # a small pickle can name the same list many times
LARGEST_FILE = 4 * 2**30
SPARE, GROWTH = 2**30, 64  # bytes, and bytes for each byte of the file: a dict takes far more than its pickle
RELEASES = ("free_completed", "free")
MARKS = ("oom", "snapshot", "segment_alloc", "segment_free", "segment_map", "segment_unmap", "free_requested")


def recognises(path: Path, head: bytes) -> bool:
    return head.startswith(BEGINS) or path.suffix in SUFFIXES


def read(path: Path) -> Events:
    return table_of(_unpickled(path), str(path))


def table_of(snapshot: Any, path: str) -> Events:
    """Of a snapshot as torch.cuda.memory._snapshot() gives it; `path` is for what is said of it."""
    if not isinstance(snapshot, dict) or not isinstance(snapshot.get("segments"), list):
        raise DocumentError(f"{path}: a pickle, but no memory snapshot: it has no segments")
    events = Events("memory snapshot")
    _segments(events, snapshot["segments"])
    traces = snapshot.get("device_traces")
    entries = [trace for trace in traces if isinstance(trace, list)] if isinstance(traces, list) else []
    if sum(map(len, entries)) > MOST_ENTRIES:
        raise DocumentError(f"{path}: claims more than {MOST_ENTRIES:,} entries: not a snapshot that torch wrote")
    if not any(entries):
        events.unknown["allocations"] = "the snapshot has no history; call _record_memory_history before the work"
    for device, trace in enumerate(entries):
        _Trace(events, device).take_all(trace)
    _annotations(events, snapshot.get("external_annotations"))
    if isinstance(snapshot.get("allocator_settings"), dict):
        events.about["allocator_settings"] = snapshot["allocator_settings"]
    return events


class _Plain(pickle.Unpickler):
    """Containers, numbers and text."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which no snapshot needs; nothing of it was run")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to objects outside of the file")


def _unpickled(path: Path) -> Any:
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise DocumentError(f"{path}: larger than {LARGEST_FILE >> 30} GiB; record with a smaller max_entries")
    with opened(path) as file, _memory_for(size):
        try:
            return _Plain(file).load()
        except OSError:
            raise
        except MemoryError:  # a few bytes can claim gigabytes: a length, a place in the unpickler's notes
            raise DocumentError(f"{path}: the pickle is damaged: it claims more memory than a snapshot needs") from None
        except Exception as error:  # the unpickler raises whatever a damaged file leads it to
            what = " ".join(str(error).split())[:300] or type(error).__name__
            raise DocumentError(f"{path}: the pickle cannot be read: {what}") from None


@contextmanager
def _memory_for(size: int) -> Iterator[None]:
    """Let this process grow by what a snapshot of this size needs, and no further."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = psutil.Process().memory_info().vms + SPARE + size * GROWTH
    limits = [wanted] + [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _segments(events: Events, segments: list[Any]) -> None:
    """What was reserved at the moment of the snapshot, by device; each a total."""
    sums: dict[int, dict[str, float]] = {}
    for segment in segments:
        if not isinstance(segment, dict):
            continue
        device = whole(segment.get("device"))
        found = sums.setdefault(device, dict.fromkeys(("reserved", "allocated", "active", "free", "rounding"), 0.0))
        found.setdefault("largest_free", 0.0)
        for key in ("reserved", "allocated", "active"):
            size = segment.get("total_size" if key == "reserved" else f"{key}_size")
            found[key] += max(whole(size), 0)
        blocks = segment.get("blocks")
        for block in blocks if isinstance(blocks, list) else []:
            _block(found, block)
    for device, found in sums.items():
        if found["free"] > 0:
            found["fragmentation"] = 1 - found["largest_free"] / found["free"]
        values = {name if name == "fragmentation" else f"{name}_bytes": value for name, value in found.items()}
        events.totals.append(Total(("GPU memory",), values, device))


def _block(found: dict[str, float], block: Any) -> None:
    size = whole(block.get("size")) if isinstance(block, dict) else -1
    if size < 0:
        return
    if block.get("state") == "inactive":
        found["free"] += size
        found["largest_free"] = max(found["largest_free"], size)
    elif (requested := whole(block.get("requested_size"))) >= 0:
        found["rounding"] += size - requested


class _Trace:
    """The history of one device. An allocation lasts to its release, or to the end of the history."""

    def __init__(self, events: Events, device: int) -> None:
        self.events, self.device, self.memory = events, device, f"gpu{device}"
        self.ledger = Ledger(events)
        self.allocated = self.left_out = 0

    def take_all(self, trace: list[Any]) -> None:
        for entry in trace:
            if not isinstance(entry, dict) or whole(entry.get("time_us")) < 0:
                self.left_out += 1
                continue
            self._take(entry, _nanoseconds(entry["time_us"]))
        self.ledger.close()
        if self.left_out:
            self.events.warnings.append(f"{self.memory}: {self.left_out} entries without a time were left out")

    def _take(self, entry: dict[str, Any], time: int) -> None:
        action, address, size = entry.get("action"), whole(entry.get("addr")), whole(entry.get("size"))
        if action == "alloc" and size >= 0:
            grown = size - self.ledger.size(self.memory, address)
            held = Held(self.memory, time, size, stream=whole(entry.get("stream")), stack=_frames(entry.get("frames")))
            self.ledger.born(address, held)
            self._change(time, grown)
        elif action in RELEASES:
            self._change(time, -self.ledger.released(self.memory, address, time))
        elif action in MARKS:
            self.ledger.passed(time)
            stream = entry.get("stream")
            self.events.add(Kind.MARK, str(action), time, time, stream=stream, device=self.device, bytes=size)

    def _change(self, time: int, size: int) -> None:
        if size:
            self.allocated += size
            self.events.read(f"{self.memory}.allocated_since_start_bytes", time, self.allocated, "B")


def _annotations(events: Events, notes: Any) -> None:
    """The ranges that _record_memory_history(global_record_annotations=True) keeps in a snapshot."""
    begun: dict[str, int] = {}
    for note in notes if isinstance(notes, list) else []:
        name, time = (note.get("name"), whole(note.get("time_us"))) if isinstance(note, dict) else (None, -1)
        if not isinstance(name, str) or time < 0:
            continue
        if note.get("stage") == "START":
            begun[name] = _nanoseconds(time)
        elif note.get("stage") == "END" and name in begun:
            start = begun.pop(name)
            events.add(Kind.RANGE, name, start, max(start, _nanoseconds(time)))


def _nanoseconds(microseconds: int) -> int:
    return min(microseconds, 2**52) * 1000


def _frames(frames: Any) -> tuple[str, ...]:
    """From the outermost on; torch writes the innermost first. Frames without a name are of code without symbols."""
    named = [one for one in frames if isinstance(one, dict) and one.get("name")] if isinstance(frames, list) else []
    return tuple(f"{one['name']} ({one.get('filename', '?')}:{one.get('line', '?')})" for one in reversed(named))
