"""Telemetry beside a run: sampled while targets are measured, kept in the run's folder, summarised with each target."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from perfproof.core.atomic import write_atomic
from perfproof.core.documents import Run
from perfproof.core.errors import DocumentError
from perfproof.history.folders import RunFolder
from perfproof.machine.sampler import Sampler, mark, throttled
from perfproof.machine.telemetry.recording import Recording
from perfproof.machine.telemetry.summary import target_summary

FILE = "telemetry.jsonl"


class Watch:
    """Adds to every finished target what the machine did while its samples ran."""

    def __init__(self, path: Path | None) -> None:
        self.recording = None if path is None else Recording(path)

    def described(self, finished: Iterator[Any]) -> Iterator[Any]:
        with closing(finished):  # type: ignore[type-var]
            for done in finished:
                done.result.telemetry = self._describe(done.samples)
                yield done

    def mark(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The samples again; those that were taken while the GPU was held back are not valid."""
        if self.recording is None:
            return rows
        try:
            return mark(rows, throttled(self.recording.update()))
        except DocumentError:  # without telemetry there is no evidence against a sample
            return rows

    def _describe(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
        if self.recording is None or not rows:
            return None
        try:
            return target_summary(self.recording.update(), rows)
        except DocumentError as error:
            return {"unknown": str(error)}


@contextmanager
def watching(run: Run, folder: RunFolder, wanted: bool) -> Iterator[Watch]:
    """Sample the run's GPU and the host. What goes wrong with the sampler is noted and stops nothing."""
    if not wanted:
        yield Watch(None)
        return
    gpu = run.machine.get("gpu")
    sampler = Sampler(folder.path / FILE, gpus=[] if gpu is None else [gpu])
    with sampler:
        run.telemetry = FILE  # should this process be killed, the plain file is what is there
        yield Watch(sampler.path)
    run.telemetry = f"unknown: {sampler.why}" if sampler.why else _packed(sampler.path)
    folder.save(run)


def _packed(path: Path) -> str:
    packed = path.with_name(f"{path.name}.gz")
    try:
        write_atomic(packed, gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()
    except OSError as error:
        return f"unknown: {path.name} could not be packed: {error.strerror}"
    return packed.name
