"""Record, show, compare and prune the expected results of targets.

Nothing is recorded automatically. An update needs a clean git tree, a qualified run and a message. Gains and losses are
recorded in the same way: as one more measuring day.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfproof.cli import values
from perfproof.cli.group import WholeLines
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from perfproof.core.expectations import Expectations

MOST_NAMED = 3  # targets in a message
UNFIT = 3  # the exit code of a machine that was too busy
PLACE = "Keep 2"  # in perfproof --help

app = typer.Typer(cls=WholeLines, add_completion=False, rich_markup_mode=None, help=__doc__)

ExpectationsDir = Annotated[str, option("--expectations-dir DIR", "Folder that the expectations are kept in.")]
Kind = Annotated[
    str | None, option("--kind NAME", "Kind of hardware, such as nvidia-h200. [default: every kind with a file]")
]
RunName = Annotated[str, argument("RUN", "Saved run: latest, previous, an id, a name, or a path.")]


@app.command()
def update(
    run: RunName,
    message: Annotated[
        str, option("-m --message TEXT", "Reason why these results are to be expected (required).")
    ] = "",
    canary: Annotated[
        str | None,
        option(
            "--canary TARGET", "Also pin this unchanged target as canary: its time tells a slow machine from slow code."
        ),
    ] = None,
    expectations_dir: ExpectationsDir = "expectations",
    artifacts_dir: values.ArtifactsDir = "artifacts",
) -> int:
    """Record a run of pairs as one more measuring day; programs are gated by perfproof ab --rev, without a record."""
    from perfproof.core.errors import UsageError
    from perfproof.history.commits import is_in_commit, uncommitted
    from perfproof.history.expectations import (
        changing,
        load_expectations,
        record,
        save_expectations,
        what_instead,
        why_unqualified,
    )
    from perfproof.history.folders import find_run, load_run
    from perfproof.pairs.targets import name_of

    if not message.strip():
        raise UsageError("an expectation needs a reason: say it with -m 'WHY'")
    folder = find_run(artifacts_dir, run)
    saved = load_run(folder)
    lacking = why_unqualified(saved)
    if lacking:
        raise UsageError(f"{saved.run} is not qualified: {'; '.join(lacking)}{what_instead(saved)}")
    changed = uncommitted(Path.cwd(), Path(expectations_dir))
    if changed:
        raise UsageError(f"the git tree is not clean: {', '.join(changed[:3])}; commit or discard first")
    commit, kind = str(saved.git["commit"]), str(saved.machine["kind"])
    with changing(expectations_dir, kind):
        known = load_expectations(expectations_dir, kind)
        after, said = record(known, saved, folder, message.strip(), lambda path: is_in_commit(Path.cwd(), commit, path))
        if canary is not None:
            canary = name_of(canary)
            if canary not in after.targets:
                raise UsageError(f"--canary {canary!r} is no target of these expectations; record it first")
            after.canary = canary
        of_this = [day for one in after.targets.values() for day in one.days if day.run == saved.run]
        if not any(day.qualified for day in of_this):
            print(_nothing_recorded(saved.run, after), file=sys.stderr)
            return UNFIT
        path = save_expectations(expectations_dir, after)
    print("\n".join([*said, f"written to {path}; commit it"]))
    return 0


def _nothing_recorded(run: str, after: "Expectations") -> str:
    """Why none of its results can be expected later, and what helps."""
    found = {name: day for name, one in after.targets.items() for day in one.days if day.run == run}
    said = [f"{name}: {day.why_not}" for name, day in found.items()]
    more = f"; and {len(said) - MOST_NAMED} more" if len(said) > MOST_NAMED else ""
    reasons = "; ".join(day.why_not for day in found.values())
    remedies = {
        "commit the file": "its file is not in the commit" in reasons,
        "measure again with --effort standard": "there is no interval" in reasons,
        "measure again on a quieter machine": "its verdict is" in reasons,
    }
    what = " and ".join(remedy for remedy, helps in remedies.items() if helps) or "measure again"
    return f"nothing recorded: {'; '.join(said[:MOST_NAMED])}{more}; {what}"


@app.command()
def show(
    targets: Annotated[
        list[str] | None, argument("TARGETS", "Names of targets. [default: all]", show_default=False)
    ] = None,
    kind: Kind = None,
    expectations_dir: ExpectationsDir = "expectations",
    json: Annotated[
        bool, option("--json", "Print the expectations as JSON, one document per line, and nothing else.")
    ] = False,
) -> int:
    """Show every measuring day, and the smallest change that verify would flag."""
    from perfproof.core.errors import NothingMatched
    from perfproof.core.nearest import nearest_names
    from perfproof.pairs.targets import name_of
    from perfproof.report.expectation_table import render

    documents = _documents(expectations_dir, kind)
    if targets:
        wanted = {name_of(target) for target in targets}
        known = sorted({name for one in documents for name in one.targets})
        for one in documents:
            one.targets = {name: entry for name, entry in one.targets.items() if name in wanted}
        if not any(one.targets for one in documents):
            near = list(dict.fromkeys(name for one in wanted for name in nearest_names(one, known)))
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            raise NothingMatched(
                f"no expectation of {', '.join(targets)}; {meant}`perfproof expectations show` lists all"
            )
    if json:
        print("\n".join(one.model_dump_json() for one in documents))
        return 0
    print("\n".join(render(one, _sights(one)) for one in documents), end="")
    return 0


@app.command()
def diff(
    run: RunName,
    expectations_dir: ExpectationsDir = "expectations",
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print the comparison as one JSON object, and nothing else.")] = False,
) -> int:
    """Compare a saved run with the expectations; a flag is no verdict, `perfproof verify` confirms or rejects it."""
    from json import dumps

    from perfproof.core.errors import DocumentError
    from perfproof.history.expectations import load_expectations, why_unqualified
    from perfproof.history.folders import find_run, load_run
    from perfproof.history.screening import screen_run
    from perfproof.report.expectation_table import render_diff

    folder = find_run(artifacts_dir, run)
    saved = load_run(folder)
    if not saved.machine.get("kind"):
        raise DocumentError(f"{saved.run}: its machine is unknown, there is nothing to hold it against")
    known = load_expectations(expectations_dir, saved.machine["kind"])
    rows = screen_run(saved, folder, known, [target.target for target in saved.targets], known.canary)
    outcomes = [row.outcome for row in rows]
    lacking = why_unqualified(saved)
    if json:
        print(dumps({"unqualified": lacking, "outcomes": [one.model_dump(mode="json") for one in outcomes]}))
        return 0
    print(render_diff(outcomes, lacking), end="")
    return 0


@app.command()
def prune(
    keep: Annotated[int, option("--keep N", "Number of newest dates to keep per target.", min=1)] = 20,
    gone: Annotated[bool, option("--gone", "Also remove targets that no longer exist.")] = False,
    dry_run: Annotated[bool, option("--dry-run", "Print what would be removed; write nothing.")] = False,
    kind: Kind = None,
    expectations_dir: ExpectationsDir = "expectations",
) -> int:
    """Remove old measuring days from the files (git still has them)."""
    from contextlib import nullcontext

    from perfproof.history.expectations import changing, load_expectations, save_expectations
    from perfproof.history.expectations import prune as pruned

    for name in _kinds(expectations_dir, kind):
        with nullcontext() if dry_run else changing(expectations_dir, name):
            one = load_expectations(expectations_dir, name)
            absent = _absent(list(one.targets)) if gone else []
            changed, said = pruned(one, keep, absent)
            if said and not dry_run:
                save_expectations(expectations_dir, changed)
        print("\n".join(f"{name}: {line}" for line in said) or f"{name}: nothing to remove")
    return 0


def _documents(folder: str, kind: str | None) -> list:
    from perfproof.history.expectations import load_expectations

    return [load_expectations(folder, one) for one in _kinds(folder, kind)]


def _kinds(folder: str, kind: str | None) -> list[str]:
    """The one that is named, or every one that has a file."""
    from perfproof.core.errors import NothingMatched
    from perfproof.history.expectations import path_of

    kinds = [kind] if kind else sorted(path.stem for path in Path(folder).glob("*.json"))
    if not kinds or not path_of(folder, kinds[0]).is_file():
        raise NothingMatched(f"no expectations in {folder}; record a run: perfproof expectations update RUN -m 'WHY'")
    return kinds


def _sights(document) -> dict[tuple[str, str], float | None]:  # type: ignore[no-untyped-def]
    from perfproof.history.screening import gate_sight

    return {
        (name, variant): gate_sight(document, name, variant)
        for name, entry in document.targets.items()
        for day in entry.days
        for variant in day.ratios
    }


def _absent(names: list[str]) -> list[str]:
    from perfproof.core.errors import NothingMatched, UsageError
    from perfproof.pairs.targets import select

    found = []
    for name in names:
        try:
            select([f"{name}.py" if Path(f"{name}.py").is_file() else name])
        except (NothingMatched, UsageError):
            found.append(name)
    return found
