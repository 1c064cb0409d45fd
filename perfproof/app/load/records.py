"""The files in the folder of a load test, and its requests, which are written as they end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from perfproof.app.load.asked import Asked
from perfproof.load.record import Record
from perfproof.load.record_file import RecordFile
from perfproof.load.session import Plan

RESULT, RECORDS, PAGE = "load.json", "requests.jsonl", "load.html"


@contextmanager
def records_in(folder: Path, asked: Asked, plan: Plan) -> Iterator[RecordFile]:
    about = {
        "url": asked.url,
        "model": plan.service.model,
        "workload": plan.profile.name,
        "seed": plan.seed,
        "salt": plan.salt,
        "seconds": plan.seconds,
        "planned": _planned(asked, plan),
        **({"against": asked.against} if asked.against else {}),
        "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
    }
    file = RecordFile(folder / RECORDS, about)
    try:
        yield file
    finally:
        file.close()


def _planned(asked: Asked, plan: Plan) -> float | None:
    """How long the test takes, about; None for a search, which ends when it knows."""
    if asked.slo:
        return None
    if plan.trace:
        return plan.trace[-1].at
    return 2 * plan.seconds if asked.against else plan.seconds


def shifted(record: Record, by: float) -> Record:
    """The same request later in time: steps of a search stand one after the other in one file."""
    moved = {
        name: value + by
        for name in ("intended", "released", "sent", "first_byte", "first_token", "first_answer", "last_token", "end")
        if (value := getattr(record, name)) is not None
    }
    return replace(record, **moved, times=[time + by for time in record.times])  # type: ignore[arg-type]
