"""Steps that are commands of perfproof itself: ceilings, a profile of the command, the diagnosis of what was recorded.

Each runs as a process with a deadline, so that a profiler that crashes or hangs costs the bundle one step, and nothing
of a torch, a profiler or a driver is loaded here.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from perfproof.core.triage import Status
from perfproof.triage.runner import Ran, Runner
from perfproof.triage.session import Session, recorded

PERFPROOF = (sys.executable, "-P", "-m", "perfproof")
CEILING_SECONDS, PROFILE_SECONDS, DIAGNOSE_SECONDS = 180.0, 600.0, 120.0
PROFILE_SHARE = 0.7  # of what is left: a trace that nobody has time to read is no help
PROFILE_TIMES = 2  # a profiler slows a run down and reads its trace afterwards
PRECISION_SECONDS = 60.0  # at most; the probe itself takes a few
USAGE = 2
STATUSES: dict[str, Status] = {"ok": "ok", "absent": "absent", "denied": "denied", "timeout": "timed out"}
DIAGNOSED = ("raw/timing/telemetry.jsonl", "raw/compile/run.err")


def measure_ceilings(session: Session) -> None:
    session.tell("ceilings: measure what this machine can do")
    arguments = ("peak", "--quick", "--no-save", "--shared", "--json")
    _own(session, "ceilings", "Measure ceilings: memory, arithmetic, links", arguments, CEILING_SECONDS)


def profile_command(session: Session) -> None:
    """Once more, under the profiler that works here; its files go to raw/profile."""
    tool = session.options.tool
    purpose = f"Profile the command (--tool {tool})"
    if tool in ("none", "dmon"):
        why = "--tool none" if tool == "none" else "--tool dmon: the telemetry of the runs is the profile"
        session.add("profile", purpose, "not run", why)
        return
    if any(step.name == "timing" and step.status == "timed out" for step in session.steps):
        why = "the command did not end by itself; give it less to do, or a longer --timeout"
        session.add("profile", purpose, "not run", why)
        return
    if session.command_failed:
        session.add("profile", purpose, "not run", "the command fails: its own error comes first")
        return
    session.tell(f"profile: {' '.join(session.options.command)}")
    seconds = session.seconds_for(max(PROFILE_SECONDS, PROFILE_TIMES * session.options.run_seconds), PROFILE_SHARE)
    folder = session.folder / "raw" / "profile"
    own = ("profile", "--tool", tool, "--timeout", f"{max(1.0, 0.8 * seconds):.0f}", "--artifacts-dir", str(folder))
    record = _own(session, "profile", purpose, (*own, "--json", "--", *session.options.command), seconds)
    if record:
        step = session.steps[-1]
        capture: dict[str, Any] = next(iter(record.get("captures", [])), {})
        step.status = STATUSES.get(capture.get("status", ""), "failed")
        step.why = capture.get("why", "") or record.get("stands_in_for", "")


def diagnose(session: Session) -> None:
    """Whatever was recorded: traces, telemetry, the compiler's log."""
    purpose = "Name bottlenecks in what was recorded"
    found = [path for path in DIAGNOSED if (session.folder / path).is_file()]
    found += [str(path.parent.relative_to(session.folder)) for path in _profiles(session.folder)]
    if not found:
        session.add("diagnosis", purpose, "not run", "nothing was recorded that can be diagnosed")
        return
    session.tell("diagnosis")
    arguments = ("diagnose", "--json", *(str(session.folder / path) for path in found))
    found_out = _own(session, "diagnosis", purpose, arguments, DIAGNOSE_SECONDS)
    advice = [str(one.get("advice", "")) for one in found_out.get("findings", []) if isinstance(one, dict)]
    if any("bfloat16" in one for one in advice) and not session.options.ceilings:
        probe_precision(session)


def probe_precision(session: Session) -> None:
    """bfloat16 is advised: see whether this machine multiplies faster in it. Some CPUs only emulate it."""
    session.tell("precision: is bfloat16 faster here?")
    arguments = ("peak", "--quick", "--no-save", "--shared", "--only", "gemm/fp32,gemm/bf16", "--json")
    _own(session, "precision", "Compare bfloat16 with float32 on this machine", arguments, PRECISION_SECONDS)


def _profiles(folder: Path) -> list[Path]:
    return sorted((folder / "raw" / "profile").rglob("profile.json"))


def _own(session: Session, name: str, purpose: str, arguments: Sequence[str], most: float) -> dict[str, Any]:
    """Run a command of ours; what it prints is a document, saved as parsed/NAME.json. Empty where it is none."""
    seconds = session.seconds_for(most)
    if seconds <= 0:
        session.add(name, purpose, "not run", "the budget was used up")
        return {}
    began = time.monotonic()
    with Runner() as runner:
        ran = runner.run([*PERFPROOF, *arguments], seconds, session.options.max_bytes)
    document = _document(ran)
    output = session.write(f"raw/{name}/said.txt", ran.err)
    shown = ["perfproof", *(word.replace(str(session.folder), "BUNDLE") for word in arguments)]
    status, why = _status(ran, document)
    session.add(
        name,
        purpose,
        status,
        why,
        deadline_seconds=round(seconds, 3),
        seconds=round(time.monotonic() - began, 3),
        parsed=session.save(name, document) if document else "",
        commands=[recorded(ran, output).model_copy(update={"arguments": shown})],
    )
    return document


def _status(ran: Ran, document: dict[str, Any]) -> tuple[Status, str]:
    if ran.late:
        return "timed out", "ended at its deadline, with everything that it had started"
    if document:
        return "ok", ""
    if ran.code == USAGE:
        return "absent", f"this perfproof does not do it: {ran.last_line}"
    return "failed", ran.refused or ran.last_line


def _document(ran: Ran) -> dict[str, Any]:
    try:
        found = json.loads(ran.out)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
