"""Run folders: `artifacts/<utc>-<slug>-<id>/`, the truth about a run.

run.json                    the document; complete at any moment, replaced after every target
samples/<target>.jsonl.gz   raw samples, one JSON object a line
logs/<target>.log           what the target printed
progress.jsonl              while it runs: how far it is
"""

import gzip
import json
import math
import re
import secrets
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perfproof.core.atomic import write_atomic
from perfproof.core.documents import Run, read_run
from perfproof.core.errors import DocumentError, UsageError
from perfproof.history.artifacts import make_artifacts
from perfproof.history.finding import DOCUMENT, NAME, find_run, list_runs, run_id

__all__ = ["DOCUMENT", "NAME", "find_run", "list_runs", "run_id"]  # of finding.py, for users of folders

PROGRESS = "progress.jsonl"


@dataclass(frozen=True)
class RunFolder:
    """A folder that a run is being written to."""

    path: Path
    files: dict[str, str] = field(default_factory=dict)  # file -> target: two targets never share a file

    @property
    def name(self) -> str:
        return self.path.name

    def save(self, run: Run) -> None:
        """Replace run.json. A reader, or a crash at any moment, finds the old document or the new one."""
        write_atomic(self.path / DOCUMENT, document_text(run))

    def add_samples(self, target: str, rows: Iterable[Mapping[str, Any]]) -> str:
        lines = "".join(json.dumps(row, allow_nan=False, separators=(",", ":")) + "\n" for row in rows)
        return self._add("samples", target, ".jsonl.gz", gzip.compress(lines.encode(), compresslevel=6, mtime=0))

    def add_log(self, target: str, text: str) -> str:
        return self._add("logs", target, ".log", text.encode(errors="replace"))

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text)
        return path

    def discard(self) -> None:
        """Remove the folder: nothing in it was worth keeping."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _add(self, folder: str, target: str, suffix: str, content: bytes) -> str:
        (self.path / folder).mkdir(exist_ok=True)
        relative = self._free_name(folder, target, suffix)
        write_atomic(self.path / relative, content)
        return relative

    def _free_name(self, folder: str, target: str, suffix: str) -> str:
        stem, number = re.sub(r"[^A-Za-z0-9_.-]+", "-", target).strip("-.")[-100:] or "target", 1
        while True:
            relative = f"{folder}/{stem}{'' if number == 1 else f'-{number}'}{suffix}"
            if self.files.setdefault(relative, target) == target:
                return relative
            number += 1


def open_run(artifacts_dir: Path | str, slug: str) -> RunFolder:
    """A new, empty folder with a name of its own."""
    parent = Path(artifacts_dir)
    short = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-")[:40].strip("-") or "run"
    try:
        make_artifacts(parent)
        while True:
            path = parent / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{short}-{secrets.token_hex(3)}"
            if not path.exists():
                path.mkdir()
                return RunFolder(path)
    except OSError as error:
        raise UsageError(f"cannot write to {parent}: {error.strerror}; choose another --artifacts-dir") from None


def load_run(path: Path | str) -> Run:
    """The document of a run's folder, or of its run.json."""
    file = Path(path)
    file = file / DOCUMENT if file.is_dir() else file
    try:
        return read_run(file.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(f"{file}: cannot be read: {error}") from None
    except DocumentError as error:
        raise DocumentError(f"{file}: {error}") from None


def document_text(run: Run) -> str:
    """The document as strict JSON. JSON has no NaN and no infinity: they are written as strings, which read back."""
    return json.dumps(_plain(run.model_dump()), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
