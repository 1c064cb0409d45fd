"""Run a saved run again, with its options and its seed.

RUN is "latest", an id, the beginning of a name, or a path. Options given here replace the saved ones. A run of
`perfproof ab` compares the same two things again, with new input values.
"""

import sys
from typing import Annotated, Any

import typer

from perfproof.cli import values
from perfproof.cli.values import argument, option

PLACE = "Measure 4"  # in perfproof --help
SEVERAL_FILES = True  # -o may be given several times


def command(
    ctx: typer.Context,
    run: Annotated[str, argument("RUN", "Saved run to repeat: latest, an id, a name, or a path.")],
    effort: Annotated[str | None, values.effort_option("as in the run")] = None,
    budget: values.Budget = None,
    timeout: Annotated[
        str | None, option("--timeout TIME", "Time limit per target: 90, 3m. [default: as in the run]")
    ] = None,
    device: values.Device = None,
    delta: Annotated[
        str | None, option("--delta SHARE", "Treat differences below this share as equal. [default: as in the run]")
    ] = None,
    judge: Annotated[
        str | None,
        option("--judge NAME", "Quantity that gives the verdict of two programs. [default: as in the run]"),
    ] = None,
    threads: values.Threads = None,
    shared: values.Shared = False,
    allow: values.Allow = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    format: values.Format = "table",
    details: values.Details = False,
    notes: values.Notes = False,
    quiet: values.Quiet = False,
) -> int:
    from contextlib import ExitStack
    from dataclasses import replace

    from perfproof.app.ab.form import choose_form
    from perfproof.app.ab.run import carry_out
    from perfproof.app.rerun import moved_revisions, saved_ab, saved_options, what_changed, written_targets
    from perfproof.app.run import choose, execute, with_variants
    from perfproof.app.session import Session
    from perfproof.cli.show.progress import progress_line
    from perfproof.cli.show.run import Show, print_made
    from perfproof.core.errors import UsageError
    from perfproof.history.folders import find_run, load_run
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import parse_allowed
    from perfproof.report.gate import gate_line

    show = Show(format, json, details, notes, quiet)
    saved = load_run(find_run(artifacts_dir, run))
    given: dict[str, Any] = {
        **values.parsed(effort=effort, budget=budget, timeout=timeout, delta=delta, threads=threads),
        "device": device,
        "allow": parse_allowed(allow or []),
        "artifacts_dir": artifacts_dir,
    }
    options = replace(saved_options(saved), **{name: value for name, value in given.items() if is_asked(ctx, name)})
    facts = read_facts(options.device)
    asked = saved_ab(saved)
    if judge and (asked is None or asked.a is None):
        raise UsageError(f"--judge {judge}: {saved.run} compares no programs; leave it out")
    if asked is not None:
        asked = replace(asked, judged=judge or asked.judged)
        options = replace(options, fast=options.fast and effort is None, seed=None)
        gate, strict = bool(saved.options.get("gate")), bool(saved.options.get("strict"))
        with ExitStack() as stack, progress_line(quiet=json, silent=quiet) as news:
            chosen = choose_form(asked, options, facts, stack)
            if moved := moved_revisions(saved, chosen):
                news.warn(moved)
            made, code = carry_out(chosen, asked, Session(options, facts, news, shared), gate=gate, strict=strict)
        print_made(made, show)
        if gate:
            print(gate_line(made), file=sys.stderr)
        return code
    pairs, _ = with_variants(choose(written_targets(saved), None, facts), options.variants)
    with progress_line(quiet=json, silent=quiet) as news:
        for line in what_changed(saved, pairs):
            news.warn(line)
        made, code = execute(pairs, Session(options, facts, news, shared))
    print_made(made, show)
    return code


def is_asked(ctx: typer.Context, option: str) -> bool:
    """Was it written on the command line? A setting of pyproject.toml is for new runs, not in place of what was saved.

    The folder is no part of what is repeated: it is where the saved run was found.
    """
    source = ctx.get_parameter_source(option)
    return option == "artifacts_dir" or (source is not None and source.name == "COMMANDLINE")
