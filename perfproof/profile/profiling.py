"""Profile one command with one tool: does it work here, what is started, run with a deadline, read, write down."""

import hashlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from perfproof.core.doctor import Finding
from perfproof.core.errors import DocumentError
from perfproof.core.events import Events
from perfproof.core.profile_record import Capture, DroppedFlag, ProfileFile
from perfproof.core.units import binary_bytes
from perfproof.machine.sampler import Sampler
from perfproof.profile.allocations import recorded_in
from perfproof.profile.choosing import USABLE, adapter
from perfproof.profile.memory_story import memory_stories
from perfproof.profile.plans import Gathered, Plan, Ran, Work
from perfproof.profile.portions import portions
from perfproof.profile.running import GRACE_SECONDS, files_of, run

Tell = Callable[[str, Plan], None]
HZ = 20
READY_SECONDS = 30.0  # the driver of GPUs that nobody uses takes its time
MOST_PORTIONS = 500
ENDED = "the recording was complete and the program went on: it was ended"
MOST_BYTES = 10**9  # that a capture may write


def capture(
    tool: str, work: Work, seconds: float, tell: Tell, grace: float | None = None, most_bytes: int = MOST_BYTES
) -> Capture:
    """Whatever happens is in the result: a tool that is absent or denied, a deadline, a failure."""
    using = adapter(tool)
    found: Finding = using.works(work)
    if found.state not in USABLE:
        status = "absent" if found.state == "absent" else "denied" if found.state == "denied" else "failed"
        return Capture(tool=tool, version=found.version, status=status, why=found.why, fix=found.fix)
    plan: Plan = using.plan(work, found)
    planned = _described(tool, work, found, plan)
    if plan.refused:
        return planned.model_copy(update={"status": "failed", "why": plan.refused})
    tell(tool, plan)
    with ExitStack() as stack:
        if tool == "telemetry" or work.on_gpu:
            sampler = stack.enter_context(Sampler(work.file(".telemetry.jsonl"), HZ))
            if tool == "telemetry":
                sampler.wait_ready(READY_SECONDS)
        environment = {**work.environment, **plan.environment}
        patience = GRACE_SECONDS if grace is None else grace
        ran = run(plan.command, work.folder, work.name, seconds, environment, patience, most_bytes, plan.complete)
    return _outcome(planned, work, ran, _gathered(using, work, ran))


def _described(tool: str, work: Work, found: Finding, plan: Plan) -> Capture:
    return Capture(
        tool=tool,
        version=found.version,
        status="ok",
        command=list(plan.command),
        environment={**work.environment, **plan.environment},
        recorded=list(plan.recorded),
        metrics=list(plan.metrics),
        passes=plan.passes,
        dropped=[DroppedFlag(argument=one.argument, why=one.why) for one in plan.dropped],
        notes=list(plan.notes),
    )


def _gathered(using: Any, work: Work, ran: Ran) -> Gathered:
    if ran.why:
        return Gathered(failed=ran.why)
    try:
        found: Gathered = using.gather(work, ran)
    except DocumentError as error:
        return Gathered(failed=str(error))
    if found.events is not None:
        found.portions = portions(found.events)
        found.notes += _peaks(found.events)
    if len(found.portions) > MOST_PORTIONS:
        found.notes.append(f"the {MOST_PORTIONS} largest of {len(found.portions)} portions are kept")
        del found.portions[MOST_PORTIONS:]
    return found


def _peaks(events: Events) -> list[str]:
    """The peak of live memory of each device, if the recording has its allocations."""
    stories = memory_stories(recorded_in(events), events)
    return [f"peak memory of {one.device}: {binary_bytes(one.peak_bytes)}" for one in stories if one.peak_bytes]


def _outcome(planned: Capture, work: Work, ran: Ran, found: Gathered) -> Capture:
    """A deadline that came first is a timeout, and a program that failed is a failure; what was written by then is kept
    and read."""
    status, why = "ok", ""
    if found.denied or found.failed:
        status, why = ("denied", found.denied) if found.denied else ("failed", found.failed)
    if ran.failure and not found.denied and "exit code" not in found.unknown and ran.last_line not in why:
        status, why = "failed", f"{ran.failure}; see {work.name}.stderr"
    if ran.large:
        more = "record fewer steps or less (--profile minimal), or raise --max-size"
        status, why = "failed", f"ended with everything it had started, for it wrote too much: {more}"
    if ran.late:
        status, why = "timeout", "ran out of time and was ended with everything it had started; --timeout gives longer"
    if ran.complete:
        found.notes.append(f"{ENDED}; --steps 0 records it to its end")
        found.unknown.setdefault("exit code", ENDED)
    return planned.model_copy(
        update={
            "status": status,
            "why": why,
            "fix": found.fix,
            "exit_code": None if "exit code" in found.unknown else ran.exit_code,
            "seconds": round(ran.seconds, 3),
            "left": ran.left,
            "files": list_files(work.folder, work.name),
            "main_files": [str(path.relative_to(work.folder)) for path in found.main_files],
            "portions": found.portions,
            "passes_seen": found.passes_seen,
            "unknown": found.unknown,
            "found": found.found,
            "notes": [*planned.notes, *found.notes],
        }
    )


def list_files(folder: Path, name: str) -> list[ProfileFile]:
    """Everything that this capture wrote, with its hash."""
    return [_file(folder, path) for path in files_of(folder, name)]


def _file(folder: Path, path: Path) -> ProfileFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return ProfileFile(name=str(path.relative_to(folder)), bytes=path.stat().st_size, sha256=digest)
