"""Errors that a GPU has counted since it was started: none of them is expected, and some call for repair first.

Read from the document of the step `gpu`; what the driver does not tell is not-run.
"""

from collections.abc import Iterator
from typing import Any

from perfproof.triage.expected.checks import Expectation, Severity, Symptom

COUNTS: tuple[tuple[str, str, Severity, str], ...] = (
    ("ecc_uncorrected", "uncorrected memory errors", "sick", "results may be wrong: drain the node and reset the GPU"),
    ("retired_pages", "retired memory pages", "watch", "memory is ageing: `nvidia-smi -q -d PAGE_RETIREMENT`"),
    ("pcie_replays", "PCIe replays", "watch", "the link resends: look at the riser and the slot if it grows"),
)
REMAPPED: tuple[tuple[str, str, Severity, str], ...] = (
    ("failed", "failed row remapping", "sick", "the memory cannot be repaired any more: replace the card"),
    ("pending", "row remapping pending", "sick", "reset the GPU so that the bad row is replaced"),
    ("uncorrectable", "rows remapped for uncorrectable errors", "watch", "memory is ageing: watch the count"),
)


def examine_errors(document: dict[str, Any]) -> list[Expectation]:
    """All checks of all GPUs; a document that does not hold what it should gives none."""
    gpus = document.get("gpus")
    return [check for gpu in gpus if isinstance(gpu, dict) for check in _of(gpu)] if isinstance(gpus, list) else []


def _of(gpu: dict[str, Any]) -> Iterator[Expectation]:
    part, seen = f"GPU {gpu.get('index', '?')}", gpu.get("health")
    if not isinstance(seen, dict):
        yield _judged(part, "error counts", "watch", seen, "")
        return
    for key, name, severity, advice in COUNTS:
        yield _judged(part, name, severity, seen.get(key), advice)
    rows = seen.get("remapped_rows")
    for key, name, severity, advice in REMAPPED:
        yield _judged(part, name, severity, rows.get(key) if isinstance(rows, dict) else rows, advice)
    links = seen.get("nvlink_errors")
    total = sum(links.values()) if isinstance(links, dict) else links
    yield _judged(part, "NVLink errors", "watch", total, "`nvidia-smi nvlink -e` says on which link; watch if it grows")


def _judged(part: str, name: str, severity: Severity, seen: Any, advice: str) -> Expectation:
    if not isinstance(seen, int):  # a flag of the driver (pending, failed) is an int, too
        why = str(seen or "unknown: the driver did not tell")
        return Expectation("not-run", Symptom(part, name, "watch", why, "a count", "it could not be read"))
    return Expectation("fail" if seen else "pass", Symptom(part, name, severity, str(int(seen)), "0", advice))
