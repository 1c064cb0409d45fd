"""Hold what was read against what this kind of hardware shows when it is healthy: a sick node is called sick first."""

import json
from dataclasses import asdict
from pathlib import Path

from perfproof.core.ceilings import Ceilings
from perfproof.core.hardware import Hardware
from perfproof.core.triage_parts import TriageCheck, TriageHealth
from perfproof.triage.expected import examine, examine_errors
from perfproof.triage.session import Session

NAME, PURPOSE = "health", "Hold the machine against what its kind shows when it is healthy"


def judge_health(session: Session) -> None:
    """From the documents of the steps before; where the machine was not written down, nothing is said."""
    names = ("hardware", "ceilings", "gpu")
    hardware, ceilings, gpus = (_text(session.folder / "parsed" / f"{name}.json") for name in names)
    if hardware is None:
        session.add(NAME, PURPOSE, "not run", "the step `hardware` has no result")
        return
    try:
        measured = Ceilings.model_validate_json(ceilings) if ceilings else None
        checks = [*examine(Hardware.model_validate_json(hardware), measured), *examine_errors(json.loads(gpus or "{}"))]
    except ValueError as error:
        session.add(NAME, PURPOSE, "failed", " ".join(str(error).split())[:300])
        return
    rows = [TriageCheck(result=one.result, **asdict(one.symptom)) for one in checks]
    failed = [row for row in rows if row.result == "fail"]
    sick = sum(row.severity == "sick" for row in failed)
    said = f"{sick} sick, {len(failed) - sick} to watch, of {len(rows)} checks" if failed else ""
    session.add(NAME, PURPOSE, "ok", said, parsed=session.save(NAME, TriageHealth(checks=rows)))


def _text(path: Path) -> str | None:
    return path.read_text() if path.is_file() else None
