"""Compare two saved runs, two profiles, or two load tests.

\b
perfproof compare                                  the newest run, and the one before it that shares a target
perfproof compare previous latest                  the last two runs
perfproof compare A B --judge time --gate          times instead of speed-ups; exit with 1 if B is worse
perfproof compare A B --across                     two machines, or two versions of torch: speed-ups only
perfproof compare before.json after.json           two traces: kernels that came, went and changed
perfproof compare 3f81c2 9ab04e                    two profiles of perfproof profile, by id: operators and functions
perfproof compare vllm.json guidellm.json          two load tests, also of different tools; see perfproof load compare

A and B are ids, beginnings of names or ids, paths, `latest` or `previous`; B defaults to `latest`. A profile
is given by its folder, its profile.json, a file in it, its id, or a part of its name that no other profile has. Two of
them are compared by operators or kernels, and by the functions in their samples. Runs of different machines are
refused, and the message names the fields that differ. The marks in the table are corrected for multiple comparisons
(Benjamini–Hochberg at 5 %), the gate by Holm at 5 %. Exit code with --gate: 1 for a loss, for a target
without a result in both runs, or if run B failed its own gate or printed something else; 3 for a row that could not be
judged; the highest wins.
"""

import sys
from typing import TYPE_CHECKING, Annotated

from perfproof.cli import values
from perfproof.cli.output import Output, choose_format, document_text, written_to
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from pathlib import Path

    from perfproof.core.run_comparison import RunComparison
    from perfproof.history.comparison import Saved


PLACE = "Read 3"  # in perfproof --help
MOST_NAMED = 3  # targets in the heading
LOST, NOT_JUDGED = 1, 3  # exit codes, as those of verify
NO_RESULT = ("failed", "missing", "other work")


def command(
    a: Annotated[
        str | None,
        argument(
            "A", "The earlier run or profile. [default: the last earlier run that measured a target of the newest run]"
        ),
    ] = None,
    b: Annotated[str, argument("B", "The later run or profile.")] = "latest",
    judge: Annotated[
        str, option("--judge speed-up|time", "Quantity that is judged: the speed-up of each target, or its time.")
    ] = "speed-up",
    across: Annotated[
        bool, option("--across", "Compare runs of different machines or software versions, by speed-up only.")
    ] = False,
    canary: Annotated[
        str | None,
        option("--canary TARGET", "An unchanged target; how far it moved is added to the error of every row."),
    ] = None,
    gate: Annotated[
        bool, option("--gate", "Exit with 1 on a loss or a missing result, with 3 if a row could not be judged.")
    ] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print the comparison as JSON, and nothing else.")] = False,
    format: Annotated[str | None, option("--format NAME", "Output format: table or json.")] = None,
    output: Output = None,
) -> int:
    from perfproof.app.load.imports import is_load_result
    from perfproof.cli.width import text_width
    from perfproof.core.errors import UsageError
    from perfproof.history.comparison import compare_runs, last_two
    from perfproof.pairs.targets import name_of
    from perfproof.report.comparison_table import render

    if judge not in ("speed-up", "time"):
        raise UsageError(f"--judge {judge!r} is unknown: choose speed-up or time")
    chosen = choose_format(format, json, output, ["table", "json"])
    if a is not None and is_load_result(a) and is_load_result(b):
        if gate or across or canary:
            raise UsageError("--gate, --across and --canary are for runs: two load tests are shown, not judged")
        return compare_loads([a, b], chosen, output, artifacts_dir)
    profiles = _profiles(artifacts_dir, a, b) if a is not None else None
    if profiles is not None:
        if gate or across or canary:
            raise UsageError("--gate, --across and --canary are for runs: a profile is one run and has no interval")
        return _compare_profiles(profiles, chosen, output)
    canary = canary and name_of(canary)
    earlier, later = last_two(artifacts_dir) if a is None else (_saved(artifacts_dir, a), _saved(artifacts_dir, b))
    found = compare_runs(earlier, later, judge, canary, across)  # type: ignore[arg-type]
    with written_to(output):
        if chosen == "json":
            print(document_text(found))
        else:
            print(_heading(earlier, later) if a is None else "", render(found, text_width()), sep="", end="")
    return _gate(found, later) if gate else 0


def _profiles(artifacts_dir: str, a: str, b: str) -> "list[Path] | None":
    from perfproof.app.compare_profiles import find_profiles

    return find_profiles(artifacts_dir, [a, b])


def compare_loads(names: list[str], chosen: str, output: str | None, artifacts_dir: str) -> int:
    from perfproof.app.load.imports import read_result
    from perfproof.report.load.columns import render

    found = [read_result(one, artifacts_dir) for one in names]
    with written_to(output):
        if chosen == "json":
            print(document_text(dict(zip(names, found, strict=True))))
        else:
            print(render(found, names).rstrip("\n"))
    return 0


def _compare_profiles(profiles: "list[Path]", chosen: str, output: str | None) -> int:
    from perfproof.app.compare_profiles import compare_profiles
    from perfproof.cli.show.profile_comparison import comparison_text

    found = compare_profiles(*profiles)
    with written_to(output):
        if chosen == "json":
            print(document_text(found))
        else:
            print(comparison_text(found), end="")
    return 0


def _heading(earlier: "Saved", later: "Saved") -> str:
    """Which targets the two runs were chosen by."""
    from perfproof.history.comparison import measured_targets

    common = sorted(measured_targets(earlier.run) & measured_targets(later.run))
    more = f" and {len(common) - MOST_NAMED} more" if len(common) > MOST_NAMED else ""
    return f"the last two runs of {', '.join(common[:MOST_NAMED])}{more}\n"


def _gate(found: "RunComparison", later: "Saved") -> int:
    """A row that says neither better nor worse is no pass: it is named, and the gate does not open.

    What run B's own gate refused does not pass either, however its ratio compares with that of run A.
    """
    from perfproof.core.units import count
    from perfproof.history.comparison import OF_PROGRAMS, judged_change, unanswered

    refused = _refused(found, later)
    lost = [f"{row.target} {row.variant}".rstrip() for row in found.rows if row.worse or row.state in NO_RESULT]
    failed = [*refused, *(f"{name}: {_why_lost(found, name)}" for name in lost)]
    if failed:
        more = f"; and {len(failed) - MOST_NAMED} more" if len(failed) > MOST_NAMED else ""
        print(f"perfproof: gate failed: {'; '.join(failed[:MOST_NAMED])}{more}", file=sys.stderr)
    open_rows = unanswered(found)
    if not open_rows:
        if not failed:
            print(f"perfproof: gate passed: {count(len(found.rows), 'row')}, none worse", file=sys.stderr)
        return LOST if failed else 0
    first = open_rows[0]
    change = judged_change(first, found.judged)
    why = (change and change.why_no_interval) or f"no {found.judged} in one of the runs"
    again = "" if why == OF_PROGRAMS else "; measure again"
    rows = f"{len(open_rows)} of {len(found.rows)} rows could not be judged"
    print(f"perfproof: gate: {rows}: {first.target} {first.variant}: {why}{again}", file=sys.stderr)
    return NOT_JUDGED


def _refused(found: "RunComparison", later: "Saved") -> list[str]:
    """What was wrong in run B by itself: its own gate, or what a program printed."""
    from perfproof.report.gate import gate_failure

    said = {row.target: f"wrong output in B: {row.wrong_output}" for row in found.rows if row.wrong_output}
    for target in later.run.targets:
        if target.gate == "fail" and target.target not in said:
            why = gate_failure(later.run, target)
            said[target.target] = f"the gate of run B itself failed{f': {why}' if why else ''}"
    return [f"{name}: {why}" for name, why in said.items()]


def _why_lost(found: "RunComparison", name: str) -> str:
    row = next(one for one in found.rows if f"{one.target} {one.variant}".rstrip() == name)
    return "worse" if row.worse else f"{row.state}: {row.reason}"


def _saved(artifacts_dir: str, name: str) -> "Saved":
    from pathlib import Path

    from perfproof.core.errors import NothingMatched
    from perfproof.history.commits import is_revision
    from perfproof.history.comparison import Saved
    from perfproof.history.folders import find_run, load_run

    try:
        folder = find_run(artifacts_dir, name)
    except NothingMatched as error:
        if not is_revision(Path.cwd(), name):
            raise
        hint = f"two revisions of a program are measured by `perfproof ab TARGET --rev {name} --rev HEAD`"
        raise NothingMatched(f"{error}; {name!r} is a git revision: {hint}") from None
    return Saved(load_run(folder), folder)
