"""The thirty-minute bundle, from the first look at the machine to a packed archive.

Whatever goes wrong on the way (a tool that is missing, a command that hangs, Ctrl-C) is written into the manifest, and
the bundle is packed with what there is.
"""

import shutil
from collections.abc import Callable

from perfproof.core.errors import UnfitError, UsageError
from perfproof.core.triage import TriageStep
from perfproof.triage import session as sessions
from perfproof.triage.compile_run import take_compile_log
from perfproof.triage.health import judge_health
from perfproof.triage.intake_copy import copy_form, read_form
from perfproof.triage.own_commands import diagnose, measure_ceilings, profile_command
from perfproof.triage.packing import Packed, pack
from perfproof.triage.session import NO_ROOM, Session, TriageOptions
from perfproof.triage.snapshots import Snapshot, snapshots, take
from perfproof.triage.timing import take_timing

SNAPSHOT_SECONDS = 55.0  # for all of them, whatever the deadlines of each add up to
TOOLS = ("auto", "nsys", "torch", "dmon", "none")


def make_bundle(options: TriageOptions, tell: Callable[[str], None]) -> Packed:
    """Collect, then redact, pack and scan. What makes no sense is refused before anything is started."""
    chosen = snapshots(options.only)
    form = read_form(options.intake) if options.intake else None
    if options.command and shutil.which(options.command[0]) is None:
        raise UsageError(f"there is no program {options.command[0]!r} to run; check its name and PATH")
    session = sessions.begin(options, tell)
    try:
        _collect(session, chosen, form)
        return pack(session)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        root = options.output_root
        raise UnfitError(
            f"no bundle was written: --output-root {root}: {error.strerror}; make room, or give another folder"
        ) from None
    finally:
        sessions.remove(session)


def _collect(session: Session, chosen: list[Snapshot], form: str | None) -> None:
    try:
        if form is not None:
            copy_form(session, form)
        ends = min(session.ends, session.began + SNAPSHOT_SECONDS)
        take(chosen, session.folder, ends, session.tell, session.steps)
        if session.options.ceilings:
            measure_ceilings(session)
        if any(one.name == "hardware" for one in chosen):
            judge_health(session)
        if session.options.command:
            _run_command(session)
    except KeyboardInterrupt:
        session.tell("interrupted: packing what there is")
        session.state = "interrupted"
        session.steps += _missing(session, chosen)


def _run_command(session: Session) -> None:
    take_timing(session)
    if session.options.compile_diagnostics:
        take_compile_log(session)
    profile_command(session)
    diagnose(session)


def _missing(session: Session, chosen: list[Snapshot]) -> list[TriageStep]:
    """The steps that an interrupt kept from being taken."""
    taken = {step.name for step in session.steps}
    planned = [(one.name, one.purpose, one.deadline) for one in chosen]
    if session.options.ceilings:
        planned.append(("ceilings", "Measure ceilings", 0.0))
    if session.options.command:
        planned += [("timing", "Run the command unprofiled", 0.0), ("profile", "Profile the command", 0.0)]
        planned.append(("diagnosis", "Name bottlenecks", 0.0))
    return [
        TriageStep(name=name, purpose=purpose, status="not run", why="interrupted", deadline_seconds=deadline)
        for name, purpose, deadline in planned
        if name not in taken
    ]
