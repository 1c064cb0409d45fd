"""Measure the targets of a plan in rounds, and report changes.

\b
perfproof continuous nightly.yaml                 every entry; continues where an interrupted call stopped
perfproof continuous nightly.yaml --tag gpu       only entries with this tag
perfproof continuous nightly.yaml --dry-run       print the commands, and which are done already

An alert is a gate that failed, a verdict that changed since the last round, or a change-point. The alert file exists
only while there is an alert. Exit code: 0 if all is well, even if verdicts changed; 1 if a gate failed; otherwise the
highest exit code of an entry.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from perfproof.cli import values
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from perfproof.app.continuous import Round


PLACE = "Keep 3"  # in perfproof --help


def command(
    plan: Annotated[Path, argument("PLAN", "Plan file, YAML or JSON: which targets to measure, and what must hold.")],
    tags: Annotated[
        list[str] | None, option("--tag WORD", "Measure only the plan's entries with this tag (repeatable).")
    ] = None,
    restart: Annotated[bool, option("--restart", "Start a new round and discard an unfinished one.")] = False,
    dry_run: Annotated[bool, option("--dry-run", "Print the commands; measure nothing.")] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print the alerts as JSON, and nothing else.")] = False,
) -> int:
    import sys

    from perfproof.app.continuous import ALERT, INTERRUPTED, Interrupted, Round, carry_on
    from perfproof.app.plan_file import chosen_entries, read_plan

    read, sha256 = read_plan(plan)
    entries = chosen_entries(read, tags or [])
    seconds = values.parse_positive_duration(read.budget, "budget") if read.budget else float("inf")
    asked = Round(read, sha256, entries, artifacts_dir, seconds)
    if dry_run:
        return _print_commands(asked)
    try:
        state, alerts = carry_on(asked, restart, lambda line: print(line, file=sys.stderr, flush=True))
    except Interrupted as error:
        print(f"perfproof: {error}", file=sys.stderr)
        return INTERRUPTED
    if json and alerts is not None:
        print(alerts.model_dump_json(indent=1))
    elif alerts is not None:
        for alert in alerts.alerts:
            print(f"{alert.what}: {alert.text}")
        found = f"{len(alerts.alerts)} alerts in {asked.folder / ALERT}" if alerts.alerts else "no alert"
        print(f"{read.name}, round {state.round}: {len(entries)} entries, {found}")
    failed = any(done.failures for done in state.done.values())
    return max([1 if failed else 0, *(done.exit_code for done in state.done.values())])


def _print_commands(asked: "Round") -> int:
    import shlex

    from perfproof.app.continuous import load_state
    from perfproof.app.plan_file import command_of

    state = load_state(asked.folder)
    going_on = state is not None and state.finished is None and state.plan_sha256 == asked.sha256
    for entry in asked.entries:
        done = "done    " if going_on and state and entry.name in state.done else "to do   "
        print(f"{done}{entry.name}: {shlex.join(['perfproof', *command_of(entry, asked.artifacts_dir)])}")
    return 0
