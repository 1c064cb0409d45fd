"""Check for regressions against the stored expectations.

\b
perfproof verify                      every expected target; flagged ones are measured again
perfproof verify ch01 --effort quick  only the targets of this chapter
perfproof verify my_pair.py --base main   for a pull request: main against your files

A target is flagged if today's result differs from the recorded days by more than those days differ from each other.
Then its recorded commit and your files are run alternately, 8 to 20 launches; only that confirms a regression. Exit
code: 0 fine, 1 a regression or an expected target without a result, 2 wrong usage, 3 inconclusive, 4 a target crashed,
5 nothing matched; the highest wins.
"""

from typing import Annotated

from perfproof.cli import values
from perfproof.cli.output import check_folders
from perfproof.cli.values import argument, option

PLACE = "Keep 1"  # in perfproof --help


def command(
    targets: Annotated[
        list[str] | None,
        argument("TARGETS", "Chapter, pair, lab, glob or path. [default: every expected target]", show_default=False),
    ] = None,
    base: Annotated[
        str | None,
        option(
            "--base REV",
            "Compare with this revision in paired runs, without stored expectations; takes minutes per target.",
        ),
    ] = None,
    canary: Annotated[
        str | None, option("--canary TARGET", "An unchanged target; its time tells a slow machine from slow code.")
    ] = None,
    effort: values.Effort = None,
    budget: values.Budget = None,
    timeout: values.Timeout = None,
    fast: values.Fast = False,
    device: values.Device = None,
    delta: values.Delta = None,
    threads: values.Threads = None,
    shared: values.Shared = False,
    allow: values.Allow = None,
    telemetry: values.Telemetry = True,
    expectations_dir: Annotated[
        str, option("--expectations-dir DIR", "Folder that the expectations are kept in.")
    ] = "expectations",
    artifacts_dir: values.ArtifactsDir = "artifacts",
    junit: Annotated[str | None, option("--junit FILE", "Also write the result to FILE, as JUnit XML.")] = None,
    summary: Annotated[str | None, option("--summary FILE", "Append a summary to FILE, as GitHub Markdown.")] = None,
    json: Annotated[bool, option("--json", "Print the verification as JSON, and nothing else.")] = False,
) -> int:
    from perfproof.app.session import Session
    from perfproof.app.verify import Asked, verify
    from perfproof.cli.show.progress import progress_line
    from perfproof.cli.show.verification import show, write_files
    from perfproof.core.errors import UsageError
    from perfproof.core.options import RunOptions
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import parse_allowed
    from perfproof.pairs.targets import name_of

    if base is not None and not targets:
        raise UsageError("--base needs the targets to compare: perfproof verify ch01 --base main")
    check_folders(junit, summary)
    options = RunOptions(
        targets=tuple(targets or ()),
        fast=fast,
        device=device,
        allow=parse_allowed(allow or []),
        artifacts_dir=artifacts_dir,
        telemetry=telemetry,
        **values.parsed(effort=effort, budget=budget, timeout=timeout, delta=delta, threads=threads),
    )
    asked = Asked(options.targets, base, canary and name_of(canary), expectations_dir)
    with progress_line(quiet=False) as news:  # it takes minutes, also where a file gets the document
        found = verify(asked, Session(options, read_facts(device), news, shared))
    write_files(found, artifacts_dir, junit, summary)
    show(found, json)
    return found.exit_code
