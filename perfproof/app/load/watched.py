"""Run one plan, with the GPUs of this host watched if the server is on it."""

from contextlib import ExitStack
from dataclasses import dataclass, field

from perfproof.app.load.gpus import Meter, watch_throttling
from perfproof.core.load import Energy
from perfproof.load.record import Record
from perfproof.load.record_file import RecordFile
from perfproof.load.session import Measured, Plan, run_plan

LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass
class Watched:
    records: list[Record]
    measured: Measured
    throttled: str | None = None
    missed: list[tuple[float, float]] = field(default_factory=list)  # from when to when: steps of a search
    energy: Energy | None = None


def run_watched(plan: Plan, file: RecordFile) -> Watched:
    """Run the plan with the GPUs of this host watched, if the server is here and there are any."""
    throttled: str | None = None
    with ExitStack() as stack:
        gpus = watch_throttling(stack) if is_local(plan) else None
        meter = Meter() if is_local(plan) else Meter([])
        meter.start()
        found = run_plan(plan, file.add)
        energy = meter.stop(found.records, "the whole test")
        if gpus is not None:
            throttled = gpus()
    return Watched(found.records, found, throttled, energy=energy)


def is_local(plan: Plan) -> bool:
    return plan.service.address.host in LOCAL
