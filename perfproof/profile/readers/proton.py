"""Profiles of Triton's Proton (`.hatchet`): a tree of scopes and kernels with what was added up under each."""

from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT, Events, Total
from perfproof.profile.finite import finite
from perfproof.profile.opening import read_json

ROOT = "ROOT"  # what Proton calls the node that holds its tree: neither a scope nor a kernel of the program
NAMES = {"time (ns)": "time_ns", "count": "count", "bytes": "bytes"}
NO_TIMES = "a Proton tree has sums and no times; record with `proton -d trace` for a timeline"


def recognises(path: Path, head: bytes) -> bool:
    tree = head.lstrip().startswith(b"[") and b'"frame"' in head and b'"children"' in head
    return tree or path.suffix == ".hatchet"


def read(path: Path) -> Events:
    content = read_json(path)
    if not isinstance(content, list) or not content or not isinstance(content[0], dict) or "frame" not in content[0]:
        raise DocumentError(f"{path}: JSON, but no tree of Proton: it has no frames")
    events = Events("proton")
    events.unknown["timeline"] = NO_TIMES
    for part in content:
        if isinstance(part, dict) and "frame" in part:
            _take(events, part)
        elif isinstance(part, dict):
            events.about["devices"] = part
    if not events.totals:
        events.warnings.append("the tree holds no measured scope")
    return events


def launched(events: Events) -> list[Total]:
    """The nodes that are kernels: they were launched, and took time. A scope's own count and time are zero."""
    return [one for one in events.totals if one.values.get("count", 0) > 0 and one.values.get("time_ns", 0) > 0]


def _take(events: Events, root: dict[str, Any]) -> None:
    """Every node that has metrics, from the root's children down, without recursion: a tree may be deeper than
    Python's stack."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), root)]
    broken = 0
    while waiting:
        above, node = waiting.pop()
        frame = node.get("frame") if isinstance(node, dict) else None
        if not isinstance(frame, dict):
            broken += 1
            continue
        is_root = node is root and frame.get("name") == ROOT
        path = () if is_root else (*above, str(frame.get("name", "unnamed")))
        metrics = node.get("metrics")
        values = _numbers(metrics) if isinstance(metrics, dict) else {}
        if values and path:
            events.totals.append(Total(path, values, _device(metrics)))
        children = node.get("children")
        waiting += [(path, child) for child in reversed(children if isinstance(children, list) else [])]
    if broken:
        events.warnings.append(f"{broken} nodes of the tree could not be read and were left out")


def _numbers(metrics: dict[str, Any]) -> dict[str, float]:
    return {
        NAMES.get(name, name): value
        for name, value in metrics.items()
        if finite(value) is not None and name != "device_id"
    }


def _device(metrics: Any) -> int:
    """Written as text or as a number."""
    number = str(metrics.get("device_id", ""))
    return int(number) if number.isdecimal() and len(number) < 9 else ABSENT
