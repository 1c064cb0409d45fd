"""Measure a target, or a command of yours, over a grid of values.

\b
perfproof sweep ch05:parallel_reads                                   the axes that the pair declares
perfproof sweep my_pair.py --set size=64,128                          other axes of a pair
perfproof sweep --set batch=1,2,4 -- python train.py --batch {batch}  a command; {batch} stands for the value
perfproof sweep --set n=1,4 --env OMP_NUM_THREADS={n} -- ./bench      set an environment variable

Each point of a command is compared with the first point, as `perfproof ab` compares two programs. --resume
continues an interrupted sweep: its options and its seed are kept, and finished points are not measured again.
"""

from typing import TYPE_CHECKING, Annotated

from perfproof.cli import values
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perfproof.app.ab.asked import Asked
    from perfproof.app.session import Measured, Session
    from perfproof.cli.show.run import Show
    from perfproof.core.documents import Run
    from perfproof.core.options import RunOptions
    from perfproof.history.folders import RunFolder


PLACE = "Measure 3"  # in perfproof --help


def command(
    targets: Annotated[
        list[str] | None,
        argument(
            "TARGET | -- COMMAND",
            "Pair to measure: ch05:parallel_reads or a path; or a command after --.",
            show_default=False,
        ),
    ] = None,
    sets: Annotated[
        list[str] | None,
        option("--set NAME=1,2,4", "Values of one axis, instead of the axes that the pair declares (repeatable)."),
    ] = None,
    env: Annotated[
        list[str] | None,
        option("--env X={n}", "Environment variable of the command; {NAME} stands for an axis value (repeatable)."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        option(
            "--metric SPEC", "Commands: number that the command prints, NAME:higher=regex:PATTERN, as in perfproof ab."
        ),
    ] = None,
    judge: Annotated[
        str, option("--judge NAME", "Commands: quantity that gives the verdict, wall, cpu, memory or a metric.")
    ] = "wall",
    cwd: Annotated[str | None, option("--cwd DIR", "Folder that the command runs in.")] = None,
    prepare: Annotated[
        str | None, option("--prepare CMD", "Command to run before each run of the command; not timed.")
    ] = None,
    warmup: Annotated[
        int, option("--warmup N", "Number of warm-up runs of the command per side; not timed.", min=0)
    ] = 1,
    ignore_exit: Annotated[
        bool, option("--ignore-exit", "Measure the command even if it exits with an error.")
    ] = False,
    effort: Annotated[str | None, values.effort_option("quick")] = None,
    budget: values.Budget = None,
    timeout: values.Timeout = None,
    fast: Annotated[
        bool,
        option(
            "--fast", "Use the pair's small smoke sizes for all sizes that are not an axis.", envvar="PERFPROOF_FAST"
        ),
    ] = False,
    device: values.Device = None,
    variants: values.Variants = None,
    delta: values.Delta = None,
    threads: values.Threads = None,
    seed: Annotated[
        str | None, option("--seed HEX", "Seed of the inputs; the seed of an earlier run gives the same values.")
    ] = None,
    shared: values.Shared = False,
    allow: values.Allow = None,
    output: Annotated[str | None, option("-o --output FILE", "Write the picture to FILE, an .svg.")] = None,
    resume: Annotated[
        str | None, option("--resume RUN", "Continue this interrupted sweep: latest, an id or a name.")
    ] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    notes: values.Notes = False,
    quiet: values.Quiet = False,
) -> int:
    from dataclasses import replace

    from perfproof.app.ab.asked import Asked
    from perfproof.app.session import Session
    from perfproof.app.sweep.command import are_command, is_command_sweep
    from perfproof.cli.show.progress import progress_line
    from perfproof.cli.show.run import Show
    from perfproof.core.errors import UsageError
    from perfproof.core.options import RunOptions
    from perfproof.history.folders import find_run, load_run
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import parse_allowed

    show, picture, words = Show(json=json, notes=notes, quiet=quiet), _picture_path(output), tuple(targets or ())
    seconds = values.parse_positive_duration(budget, "--budget") if budget else None
    if words and resume is not None:
        raise UsageError(
            f"{' '.join(words)} and --resume {resume} exclude each other: a sweep that goes on has its target"
        )
    if not words and resume is None:
        raise UsageError("name one target, such as ch05:parallel_reads, or -- COMMAND, or --resume RUN to go on")
    asked = Asked(
        variables_b=tuple(env or ()),
        metrics=tuple(metric or ()),
        judged=judge,
        cwd=cwd,
        prepare=prepare,
        warmup=warmup,
        ignore_exit=ignore_exit,
    )
    options = RunOptions(
        targets=words,
        fast=fast,
        device=device,
        allow=parse_allowed(allow or []),
        **values.parsed(effort=effort or "quick", timeout=timeout, delta=delta, threads=threads, seed=seed),
    )
    earlier = load_run(find_run(artifacts_dir, resume)) if resume is not None else None
    if is_command_sweep(earlier) if earlier is not None else are_command(words):
        options, measure = _plan_command(words, sets or [], variants, asked, options, earlier)
    else:
        options, measure = _plan_pair(words, sets or [], variants or [], asked, options, earlier)
    options = replace(options, budget=seconds, artifacts_dir=artifacts_dir)
    with progress_line(quiet=json, silent=quiet) as news:
        measured = measure(Session(options, read_facts(options.device), news, shared))
    _show(measured.run, measured.folder, picture, show)
    return measured.exit_code


def _plan_pair(
    words: tuple[str, ...],
    sets: list[str],
    variants: list[str],
    asked: "Asked",
    options: "RunOptions",
    earlier: "Run | None",
) -> "tuple[RunOptions, Callable[[Session], Measured]]":
    from dataclasses import replace

    from perfproof.app.run import with_variants
    from perfproof.app.sweep.pair import choose_one, execute_sweep, saved_sweep
    from perfproof.bench.forms.grid import plan_sweep
    from perfproof.core.errors import UsageError
    from perfproof.machine.facts import read_facts

    if given := [*asked.of_programs, *(["--env"] if asked.variables_b else [])]:
        raise UsageError(f"{', '.join(given)}: only for a command; write the command after `--`")
    if earlier is not None:
        written, sweep, options = saved_sweep(earlier)
        pair = choose_one(written)
    else:
        if len(words) > 1:
            raise UsageError(f"{len(words)} targets were given; a sweep takes one, such as {words[0]}, or -- COMMAND")
        written, pair = words[0], choose_one(words[0])
        sweep = plan_sweep(pair, sets, on_gpu=read_facts(options.device).cuda is not None)
        options = replace(options, variants=with_variants([pair], variants)[1])
    return options, lambda session: execute_sweep(pair, sweep, session, written=written, earlier=earlier)


def _plan_command(
    words: tuple[str, ...],
    sets: list[str],
    variants: list[str] | None,
    asked: "Asked",
    options: "RunOptions",
    earlier: "Run | None",
) -> "tuple[RunOptions, Callable[[Session], Measured]]":
    from perfproof.app.sweep.command import execute_command_sweep, plan_command_sweep, saved_command_sweep
    from perfproof.core.errors import UsageError

    if options.fast or variants:
        raise UsageError("--fast and --variant are for pairs: a command has no smoke sizes and no variants")
    if earlier is not None:
        sweep, options = saved_command_sweep(earlier)
    else:
        sweep = plan_command_sweep(words, sets, asked)
    return options, lambda session: execute_command_sweep(sweep, session, earlier=earlier)


def _picture_path(output: str | None) -> "Path | None":
    from pathlib import Path

    from perfproof.core.errors import UsageError

    if output is not None and Path(output).suffix != ".svg":
        raise UsageError(f"--output {output}: the picture of a sweep is an .svg")
    return None if output is None else Path(output)


def _show(run: "Run", folder: "RunFolder", picture: "Path | None", show: "Show") -> None:
    """The picture into the run's folder, and to where it was asked for; the table, its sentence or the document."""
    from perfproof.app.sweep.pair import PICTURE
    from perfproof.cli.show.run import print_run
    from perfproof.cli.width import text_width
    from perfproof.core.atomic import write_atomic
    from perfproof.report.sweep import picture as sweep_picture
    from perfproof.report.sweep import table as sweep_table

    drawn = sweep_picture.svg(run)
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
