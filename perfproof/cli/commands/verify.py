"""Check for regressions against the stored expectations.

\b
perfproof verify                      every expected target; what is flagged is confirmed
perfproof verify ch01 --effort quick  only these
perfproof verify my_pair.py --base main   a pull request: main and your files, in turn

A target is flagged if it differs from its recorded days by more than days differ among themselves. Then its recorded
commit and your files are run in turn, 8 to 20 launches; only that confirms a regression. Exit code: 0 fine, 1 a
regression or an expected target without a result, 2 usage, 3 inconclusive, 4 a target crashed, 5 nothing matched; the
highest wins.
"""

from typing import Annotated

from perfproof.cli import values
from perfproof.cli.output import check_folders
from perfproof.cli.values import argument, option

PLACE = "Keep 1"  # in perfproof --help


def command(
    targets: Annotated[
        list[str] | None, argument("TARGETS", "As for run. None: every expected target.", show_default=False)
    ] = None,
    base: Annotated[str | None, option("--base REV", "Paired with this revision only; minutes per target.")] = None,
    canary: Annotated[str | None, option("--canary TARGET", "Whose time tells a slow day from slow code.")] = None,
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
    expectations_dir: Annotated[str, option("--expectations-dir DIR", "Where expectations are kept.")] = "expectations",
    artifacts_dir: values.ArtifactsDir = "artifacts",
    junit: Annotated[str | None, option("--junit FILE", "Write JUnit XML.")] = None,
    summary: Annotated[str | None, option("--summary FILE", "Append GitHub Markdown.")] = None,
    json: Annotated[bool, option("--json", "Print the verification's document, and nothing else.")] = False,
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
