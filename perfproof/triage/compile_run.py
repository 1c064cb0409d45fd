"""Run the command once with the compiler's log on: graph breaks and recompiles, with their reasons.

A run of its own: writing the log takes time that must not be in the timing.
"""

import time
from dataclasses import asdict
from typing import Any

from perfproof.profile.compile_log import read_compile_log
from perfproof.triage.runner import Runner
from perfproof.triage.session import Session, recorded

NAME, PURPOSE = "compile", "Run the command with the compiler's log on: graph breaks, recompiles"
VARIABLES = {"TORCH_LOGS": "graph_breaks,recompiles"}


def take_compile_log(session: Session) -> None:
    seconds = session.seconds_for(session.options.run_seconds, 0.5)
    if seconds <= 0:
        session.add(NAME, PURPOSE, "not run", "the budget was used up")
        return
    session.tell(f"{NAME}: TORCH_LOGS={VARIABLES['TORCH_LOGS']}")
    began = time.monotonic()
    with Runner() as runner:
        ran = runner.run(session.options.command, seconds, session.options.max_bytes, VARIABLES)
    output = session.write(f"raw/{NAME}/run.err", ran.err)
    found, said = read_log(ran.err.decode(errors="replace"))
    command = recorded(ran, output)
    session.add(
        NAME,
        PURPOSE,
        "timed out" if ran.late else "failed" if ran.refused else "ok",
        "; ".join(part for part in (command.why, said) if part),
        deadline_seconds=round(seconds, 3),
        seconds=round(time.monotonic() - began, 3),
        parsed=session.save(NAME, found),
        commands=[command.model_copy(update={"arguments": [f"TORCH_LOGS={VARIABLES['TORCH_LOGS']}", *ran.arguments]})],
    )


def read_log(text: str) -> tuple[dict[str, Any], str]:
    """What the log says, and that in a few words. The log was asked for: nothing in it means that there was nothing."""
    found = read_compile_log(text, asked=True)
    counts = [(found.count("graph break"), "graph break"), (found.count("recompile"), "recompile")]
    return asdict(found), ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
