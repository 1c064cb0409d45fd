"""From a run's document to the rows of the index.

The document is read as plain JSON: the index is a summary, a million results are read again at every rebuild, and a
field that is not of its type is refused here by name.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfproof.core.documents import SCHEMA_VERSION
from perfproof.core.errors import DocumentError
from perfproof.core.other_work import WORD, does_other_work

Row = dict[str, Any]
REVISIONS = "revisions"  # of an A/B, in the table of the environment: what its points are of
UNKNOWN = "unknown"  # kind or fingerprint of a machine that nothing tells of
# Of the machine: what may explain a change. Load, free memory and the like are different in every run.
CPU_FIELDS = ("model", "cores_allowed", "governor", "turbo", "smt", "virtual_machine", "quota_cpus")
MACHINE_FIELDS = ("device", "kernel", "driver", "driver_cuda", "container")
GPU_FIELDS = ("name", "power_limit_watts", "clock_sm_max_mhz", "ecc", "mig", "persistence")


@dataclass(frozen=True)
class Entry:
    """Everything that the index holds of one run."""

    run: Row
    results: list[Row] = field(default_factory=list)
    environment: list[Row] = field(default_factory=list)


def read_entry(path: Path) -> Entry:
    """The rows of a saved run.json."""
    try:
        raw = json.loads(path.read_bytes())
        return entry_of(raw)
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}") from None
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DocumentError(f"{path}: not a run document: {type(error).__name__}: {error}") from None


def entry_of(raw: Mapping[str, Any]) -> Entry:
    version = raw["schema_version"]
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise DocumentError(f"written by a newer perfproof: schema version {version}; upgrade it")
    run = _run_row(raw)
    shared = {name: run[name] for name in ("run", "started", "kind", "fingerprint")}
    results = [row for place, target in enumerate(raw["targets"]) for row in _results(target, place, shared)]
    fields = environment_fields(raw["machine"]) | {"perfproof": run["version"], REVISIONS: _revisions(raw)}
    return Entry(run, results, environment_rows(run["run"], fields))


def _revisions(raw: Mapping[str, Any]) -> str | None:
    """`main HEAD`, as they were written."""
    given = ((raw.get("options") or {}).get("ab") or {}).get("revisions")
    return " ".join(map(str, given)) if isinstance(given, list | tuple) and given else None


def environment_rows(run: str, fields: Mapping[str, Any]) -> list[Row]:
    known = {name: value for name, value in fields.items() if value is not None}
    return [{"run": run, "field": text(name), "value": text(value)} for name, value in sorted(known.items())]


def environment_fields(machine: Mapping[str, Any]) -> dict[str, Any]:
    cpu, software = machine.get("cpu") or {}, machine.get("software") or {}
    found = {name: machine.get(name) for name in MACHINE_FIELDS}
    found |= {f"cpu.{name}": cpu.get(name) for name in CPU_FIELDS}
    found |= {f"software.{name}": version for name, version in software.items()}
    for place, gpu in enumerate(machine.get("gpus") or []):
        found |= {f"gpu{place}.{name}": gpu.get(name) for name in GPU_FIELDS}
    return found


def text(value: Any) -> str:
    """As every database can keep it: no NUL, no half of a character."""
    written = value if isinstance(value, str) else json.dumps(value) if isinstance(value, dict | list) else str(value)
    return written.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()


def number(value: Any) -> float | None:
    """Finite or nothing: documents write NaN and infinity as words."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _run_row(raw: Mapping[str, Any]) -> Row:
    git, machine, options = raw.get("git") or {}, raw["machine"], raw.get("options") or {}
    return {
        "run": text(raw["run"]),
        "source": "perfproof",
        "state": text(raw["state"]),
        "started": text(raw["started"]),
        "finished": _text_or_none(raw.get("finished")),
        "commit_id": _text_or_none(git.get("commit")),
        "branch": _text_or_none(git.get("branch")),
        "dirty": git.get("dirty") if isinstance(git.get("dirty"), bool) else None,
        "kind": text(machine.get("kind") or UNKNOWN),
        "fingerprint": text(machine.get("fingerprint") or UNKNOWN),
        "device": text(machine.get("device") or "unknown"),
        "effort": text(options.get("effort") or "unknown"),
        "version": text(raw.get("perfproof_version", "unknown")),
        "command": text(list(raw.get("command") or [])),
        "tags": " ".join(sorted(text(tag) for tag in options.get("tags") or ())),
    }


def _results(target: Mapping[str, Any], place: int, shared: Row) -> Iterator[Row]:
    variants, ratios, other = target.get("variants") or {}, target.get("ratios") or {}, does_other_work(target)
    common = shared | {
        "place": place,
        "target": text(target["target"]),
        "sizes": json.dumps(target.get("sizes") or {}, sort_keys=True),
        "status": text(target["status"]),
        "tier": text(target.get("tier") or ""),
        "source_sha256": text(target.get("source_sha256") or ""),
    }
    for variant, judged in (ratios or {"": {}}).items():
        before, after = _figures(judged)
        yield common | {
            "variant": text(variant),
            "verdict": WORD if other else _text_or_none(judged.get("verdict")),
            "claim": text(judged.get("claim", "time")),
            "clock": text(judged.get("clock", "")),
            "ratio": None if other else number(judged.get("ratio")),
            "low": None if other else number(judged.get("low")),
            "high": None if other else number(judged.get("high")),
            "launches": judged.get("launches") if isinstance(judged.get("launches"), int) else None,
            "statistic": "median" if before is None else "mean",
            "baseline_seconds": before or _judging_time(variants.get("baseline")),
            "variant_seconds": after or _judging_time(variants.get(variant)),
        }


def _figures(judged: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The two times that divide to a ratio; older documents and other claims have none."""
    figures = [number(judged.get(name)) for name in ("baseline", "variant")]
    if judged.get("claim", "time") != "time" or not all(figures):
        return None, None
    return figures[0], figures[1]


def _judging_time(side: Mapping[str, Any] | None) -> float | None:
    """The first of a side's times is by the clock that the verdict reads."""
    times = (side or {}).get("times") or {}
    return number(next(iter(times.values()), None))


def _text_or_none(value: Any) -> str | None:
    return None if value is None else text(value)
