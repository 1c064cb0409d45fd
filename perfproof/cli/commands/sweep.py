"""Measure a target over a grid of sizes.

The axes are those that the pair declares in `sweep`, or those given with --set. An interrupted sweep goes on with
--resume: its options and its seed are kept, and points that are done are not measured again.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from perfproof.cli import values

if TYPE_CHECKING:
    from pathlib import Path

    from perfproof.cli.show.run import Show
    from perfproof.core.documents import Run
    from perfproof.history.folders import RunFolder


PLACE = "Measure 3"  # in perfproof --help
TIMEOUT_SECONDS = 300.0


def command(
    target: Annotated[
        str | None, typer.Argument(metavar="TARGET", help="ch05:parallel_reads, a path.", show_default=False)
    ] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=1,2,4", help="An axis, instead of the declared ones.")
    ] = None,
    effort: values.Effort = None,
    budget: values.Budget = None,
    timeout: values.Timeout = None,
    fast: Annotated[bool, typer.Option("--fast", envvar="PERFPROOF_FAST", help="Smoke sizes off the axes.")] = False,
    device: values.Device = None,
    variants: Annotated[list[str] | None, typer.Option("--variant", metavar="NAME", help="Only these.")] = None,
    delta: values.Delta = None,
    threads: values.Threads = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="HEX", help="Draw the same values again.")] = None,
    shared: values.Shared = False,
    allow: values.Allow = None,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="The picture, .svg.")] = None,
    resume: Annotated[str | None, typer.Option("--resume", metavar="RUN", help="latest, an id, a name.")] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    notes: values.Notes = False,
    quiet: values.Quiet = False,
) -> int:
    from dataclasses import replace

    from perfproof.app.run import with_variants
    from perfproof.app.session import Session
    from perfproof.app.sweep import choose_one, execute_sweep, saved_sweep
    from perfproof.bench.forms.grid import plan_sweep
    from perfproof.cli.show.progress import progress_line
    from perfproof.cli.show.run import Show
    from perfproof.core.errors import UsageError
    from perfproof.core.options import RunOptions
    from perfproof.history.folders import find_run, load_run
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import parse_allowed

    show, picture = Show(json=json, notes=notes, quiet=quiet), _picture_path(output)
    seconds = values.parse_positive_duration(budget, "--budget") if budget else None
    if target is not None and resume is not None:
        raise UsageError(f"{target} and --resume {resume} exclude each other: a sweep that goes on has its target")
    if target is None and resume is None:
        raise UsageError("name one target, such as ch05:parallel_reads, or --resume RUN to go on with a sweep")
    if resume is not None:
        earlier = load_run(find_run(artifacts_dir, resume))
        written, sweep, options = saved_sweep(earlier)
        options = replace(options, budget=seconds, artifacts_dir=artifacts_dir)
        facts, pair = read_facts(options.device), choose_one(written)
    else:
        earlier, written = None, target or ""
        facts, pair = read_facts(device), choose_one(written)
        sweep = plan_sweep(pair, sets or [], on_gpu=facts.cuda is not None)
        options = RunOptions(
            targets=(written,),
            effort=values.parse_effort(effort) if effort else "quick",  # type: ignore[arg-type]
            budget=seconds,
            timeout=values.parse_positive_duration(timeout, "--timeout") if timeout else TIMEOUT_SECONDS,
            fast=fast,
            device=device,
            delta=values.parse_share(delta, "--delta") if delta else RunOptions.delta,
            threads=values.parse_threads(threads) if threads is not None else None,
            seed=values.parse_seed(seed) if seed else None,
            variants=with_variants([pair], variants or [])[1],
            allow=parse_allowed(allow or []),
            artifacts_dir=artifacts_dir,
        )
    with progress_line(quiet=json, silent=quiet) as news:
        measured = execute_sweep(pair, sweep, Session(options, facts, news, shared), written=written, earlier=earlier)
    _show(measured.run, measured.folder, picture, show)
    return measured.exit_code


def _picture_path(output: str | None) -> "Path | None":
    from pathlib import Path

    from perfproof.core.errors import UsageError

    if output is not None and Path(output).suffix != ".svg":
        raise UsageError(f"--output {output}: the picture of a sweep is an .svg")
    return None if output is None else Path(output)


def _show(run: "Run", folder: "RunFolder", picture: "Path | None", show: "Show") -> None:
    """The picture into the run's folder, and to where it was asked for; the table, its sentence or the document."""
    from perfproof.app.sweep import PICTURE
    from perfproof.cli.show.run import print_run, text_width
    from perfproof.core.atomic import write_atomic
    from perfproof.report import sweep_picture, sweep_table

    drawn = sweep_picture.svg(run) if any(target.ratios for target in run.targets) else ""
    where = folder.write(PICTURE, drawn) if drawn else None
    if drawn and picture is not None:
        write_atomic(picture, drawn)
        where = picture
    if show.json:
        print_run(run, show)
    elif show.quiet:
        print(sweep_table.best_sentence(run) or "no point has a ratio")
    else:
        print(sweep_table.render(run, text_width(), show.notes, str(where or "")), end="")
