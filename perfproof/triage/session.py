"""One triage while it goes on: what was asked for, the private folder that evidence goes to, the time that is left."""

import errno
import json
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from perfproof.bench.programs.metrics import Metric
from perfproof.core.atomic import write_atomic
from perfproof.core.errors import UsageError
from perfproof.core.triage import Status, TriageCommand, TriageStep
from perfproof.history.artifacts import make_artifacts
from perfproof.triage.runner import Ran

PACK_SECONDS = 30.0  # kept of the budget for redaction and packing; of a small budget, a fifth
RUN_SECONDS, RUN_SHARE = 300.0, 1 / 6
MiB = 1 << 20
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class TriageOptions:
    command: tuple[str, ...] = ()
    output_root: Path = Path("artifacts/triage")
    tag: str = ""
    intake: Path | None = None
    tool: str = "auto"
    repeats: int = 5
    budget: float = 1800.0
    timeout: float | None = None  # of each run of the command
    only: tuple[str, ...] = ()
    ceilings: bool = False
    compile_diagnostics: bool = False
    redact: bool = True
    max_bytes: int = 16 * MiB
    metrics: tuple[Metric, ...] = ()

    @property
    def run_seconds(self) -> float:
        """What one run of the command may take: as asked for, else five minutes, and more of a budget above 30 minutes.

        Some timed runs, one with the compiler's log and the profiled one have to fit into the budget.
        """
        return self.timeout or max(RUN_SECONDS, self.budget * RUN_SHARE)

    def stored(self) -> dict[str, Any]:
        """As the manifest keeps them; the command has its own place there."""
        own = {name: value for name, value in vars(self).items() if name not in ("command", "metrics")}
        own |= {"output_root": str(self.output_root), "intake": str(self.intake or ""), "only": list(self.only)}
        return own | {"metrics": [asdict(metric) for metric in self.metrics]}


@dataclass
class Session:
    options: TriageOptions
    tell: Callable[[str], None]
    name: str
    folder: Path  # private, removed at the end: what is in it has not been redacted
    started: datetime
    began: float
    steps: list[TriageStep] = field(default_factory=list)
    state: Literal["finished", "interrupted"] = "finished"
    goal: str = ""
    kpi: str = ""
    no_room: dict[str, str] = field(default_factory=dict)  # what the disk did not take -> why

    @property
    def ends(self) -> float:
        """When collecting has to end, so that there is time to pack (time.monotonic)."""
        budget = self.options.budget
        return self.began + budget - min(PACK_SECONDS, budget / 5)

    @property
    def command_failed(self) -> bool:
        """Whether a run of the user's command ended with an error."""
        return any(
            step.name == "timing" and any(one.status == "failed" for one in step.commands) for step in self.steps
        )

    def seconds_for(self, most: float, share: float = 1.0) -> float:
        return min(most, share * (self.ends - time.monotonic()))

    def write(self, path: str, content: str | bytes) -> str:
        """Put something into the bundle, by its path there; nothing said is no file, and no room is a recorded fact."""
        if not content.strip():
            return ""
        target = self.folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(target, content)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            self.no_room[path] = f"{error.strerror}: {len(content)} bytes"
            return ""
        return path

    def save(self, name: str, value: Any) -> str:
        text = value.model_dump_json(indent=1) if hasattr(value, "model_dump_json") else json.dumps(value, indent=1)
        return self.write(f"parsed/{name}.json", text + "\n")

    def add(self, name: str, purpose: str, status: Status, why: str = "", **fields: Any) -> None:
        values = {"deadline_seconds": 0.0, **fields}
        self.steps.append(TriageStep(name=name, purpose=purpose, status=status, why=why, **values))


def begin(options: TriageOptions, tell: Callable[[str], None]) -> Session:
    now = datetime.now(UTC)
    if options.tag and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}", options.tag):
        raise UsageError(f"--tag {options.tag!r} is no part of a file's name: use letters, digits, dots and dashes")
    name = "-".join(part for part in ("triage", f"{now:%Y%m%dT%H%M%SZ}", options.tag, secrets.token_hex(3)) if part)
    try:
        make_artifacts(options.output_root)
        folder = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=options.output_root))
    except OSError as error:
        raise UsageError(f"--output-root {options.output_root}: cannot be written: {error.strerror}") from None
    (folder / "work").mkdir()
    return Session(options, tell, name, (folder / "work").absolute(), now, time.monotonic())


def remove(session: Session) -> None:
    shutil.rmtree(session.folder.parent, ignore_errors=True)


def recorded(ran: Ran, output: str = "") -> TriageCommand:
    """A run as the manifest tells it. That a command ended with a code of its own is news about the command."""
    status: Status = "ok"
    why = ran.refused
    if ran.refused:
        status = "failed"
    elif ran.late:
        status, why = "timed out", "ended at its deadline, with everything that it had started"
    elif ran.code:
        status, why = "failed", f"ended with {ran.code}: {ran.last_line}"
    return TriageCommand(
        arguments=list(ran.arguments),
        status=status,
        exit_code=None if ran.late else ran.code,
        seconds=round(ran.seconds, 6),
        why=why,
        output=output,
    )
