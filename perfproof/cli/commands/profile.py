"""Profile a pair or any command with the profiler that works here.

\b
perfproof profile -- python train.py             a program: three steady steps, with its threads' stacks
perfproof profile my_pair.py                     the steady calls of both sides of a pair, and what differs
perfproof profile --tool memory -- python x.py   another profiler; perfproof doctor says which work here
perfproof profile --pid 4711 --duration 10s      a process that is already running
perfproof profile --lint 'nsys profile -t nvlink x'   correct a command line; nothing is run
perfproof profile --metrics ch07                 list a chapter's counters and their cost; nothing is run

The last line of the output is the next command to run: perfproof diagnose.
"""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from perfproof.cli import values
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from perfproof.profile.lint.lint import Linted
    from perfproof.profile.manifest.selection import Selection
    from perfproof.profile.plans import Plan


PLACE = "Profile 1"  # in perfproof --help
PROGRAM = "perfproof.program"
TIMEOUT_SECONDS = 300.0


class TargetOrProgram(TyperCommand):
    """What stands after `--` is a program with its arguments, and nothing of it is ours."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own, mark, program = args, "", []
        if "--" in args:
            own, mark, program = args[: args.index("--")], "--", args[args.index("--") + 1 :]
        ctx.meta[PROGRAM] = program if mark else None
        return super().parse_args(ctx, own)


app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command("profile", cls=TargetOrProgram, help=__doc__)
def command(
    ctx: typer.Context,
    target: Annotated[
        str | None,
        argument("TARGET | -- COMMAND", "Pair to profile: ch01:batched_gemm or a pair file; or a command after --."),
    ] = None,
    tool: Annotated[
        str, option("--tool NAME", "Profiler: auto, nsys, ncu, torch, proton, memory, perf, gil, syscalls …")
    ] = "auto",
    preset: Annotated[
        str, option("--profile PRESET", "How much to record, cheapest first: none, minimal, roofline or deep.")
    ] = "minimal",
    variants: Annotated[list[str] | None, option("--variant NAME", "Profile only this variant (repeatable).")] = None,
    calls: Annotated[int | None, option("--calls N", "Number of steady calls to capture, for a pair.")] = None,
    steps: Annotated[
        int | None,
        option("--steps N", "Number of steady steps of a command to record; 0 records all. [default: 3]", min=0),
    ] = None,
    wait: Annotated[
        str | None,
        option("--wait N|TIME", "Steps, or a time (10s), to wait before recording. [default: until steps are steady]"),
    ] = None,
    warmup: Annotated[
        int | None, option("--warmup N", "Further steps to skip between --wait and the recording. [default: 1]", min=0)
    ] = None,
    duration: Annotated[
        str | None, option("--duration TIME", "Record for this time instead of a number of steps: 5s.")
    ] = None,
    pid: Annotated[
        int | None,
        option("--pid PID", "Attach to a running process; for perf, gil, syscalls. [default --duration: 10s]", min=1),
    ] = None,
    kernel: Annotated[
        str, option("--kernel REGEX", "ncu: count kernels whose name matches. [default: the five longest]")
    ] = "",
    skip: Annotated[
        int, option("--skip N", "ncu: skip this many launches of these kernels before counting.", min=0)
    ] = 0,
    count: Annotated[
        int | None, option("--count N", "ncu: number of launches of these kernels to count.", min=1)
    ] = None,
    timeout: Annotated[str | None, option("--timeout TIME", "Time limit per capture. [default: 300 s]")] = None,
    max_size: Annotated[
        int, option("--max-size MB", "Maximum size of what each capture writes, in megabytes.", min=1)
    ] = 1000,
    fast: Annotated[bool, option("--fast", "Use the pair's small smoke sizes.", envvar="PERFPROOF_FAST")] = False,
    device: values.Device = None,
    threads: values.Threads = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    lint: Annotated[
        str | None, option("--lint LINE", "Print the corrected form of this nsys or ncu command line; run nothing.")
    ] = None,
    metrics: Annotated[
        list[str] | None,
        option(
            "--metrics NAME", "Counters to use with ncu, or to list without a target: ch07, COAL, quick … (repeatable)."
        ),
    ] = None,
    chip: Annotated[
        str | None, option("--chip CHIP", "GPU chip that the counters are for: gh100, b200, sm_103 … [default: gh100]")
    ] = None,
    tag: Annotated[
        list[str] | None, option("--tag TAG", "Add the counters that this tag needs: nccl, tensor … (repeatable).")
    ] = None,
    add: Annotated[
        list[str] | None, option("--add NAME", "Add a counter metric, a group or a role, such as TC.fp8 (repeatable).")
    ] = None,
    drop: Annotated[
        list[str] | None, option("--drop NAME", "Leave out a counter metric, a group or a role (repeatable).")
    ] = None,
    strict: Annotated[bool, option("--strict", "With --lint: exit with 1 if the line was wrong.")] = False,
    json: Annotated[bool, option("--json", "Print the result as JSON, and nothing else.")] = False,
) -> int:
    from perfproof.core.errors import UsageError

    program: list[str] | None = ctx.meta[PROGRAM]
    counted = metrics[0] if metrics else None
    add = [*(metrics or [])[1:], *(add or ())]
    if target is None and program is None and pid is None:
        return _check_only(lint, counted, chip, (tag or (), add, drop or ()), strict, json)
    if lint is not None:
        raise UsageError("--lint runs nothing: leave out the target, or --lint")
    if (target is not None) + (program is not None) + (pid is not None) != 1:
        raise UsageError("name a target, or a command after --, or --pid; not two of them")
    from perfproof.app.profile import Wishes, exit_code, profile_command, profile_pair, profile_process
    from perfproof.cli.show.profile import record_page
    from perfproof.profile.presets import check_preset

    wishes = Wishes(
        tool=tool,
        preset=check_preset(preset),
        variants=tuple(variants or ()),
        calls=calls,
        timeout=values.parse_positive_duration(timeout, "--timeout") if timeout else TIMEOUT_SECONDS,
        most_bytes=max_size * 10**6,
        fast=fast,
        device=device,
        threads=values.parse_threads(threads) if threads is not None else None,
        artifacts_dir=artifacts_dir,
        metrics=counted,
        chip=chip,
        tags=tuple(tag or ()),
        add=tuple(add),
        drop=tuple(drop or ()),
        steps=steps,
        wait=_waiting(wait),
        warmup=warmup,
        pid=pid,
        kernel=kernel,
        skip=skip,
        count=count,
        duration=float(values.parse_positive_duration(duration, "--duration")) if duration else None,
    )
    tell = _announce(json)
    if pid is not None:
        record, folder = profile_process(wishes, tell)
    elif program is not None:
        if not program:
            raise UsageError("there is no command after --: write `perfproof profile -- python train.py`")
        record, folder = profile_command(program, wishes, tell)
    else:
        record, folder = profile_pair(target or "", wishes, tell)
    print(record.model_dump_json(indent=1) if json else record_page(record, _shown(folder)))
    return exit_code(record)


def _waiting(wait: str | None) -> int | float | None:
    """A plain number counts steps; with a unit it is a time."""
    if wait is None:
        return None
    return int(wait) if wait.isdecimal() else float(values.parse_positive_duration(wait, "--wait"))


def _announce(json: bool) -> Any:
    """What is about to run, before it does; beside the document on standard error."""
    from perfproof.cli.show.profile import announcement

    def tell(tool: str, plan: "Plan") -> None:
        print(announcement(tool, plan), file=sys.stderr if json else sys.stdout, flush=True)

    return tell


def _shown(folder: Any) -> Any:
    from pathlib import Path

    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder


def _check_only(
    lint: str | None, metrics: str | None, chip: str | None, changes: tuple[Any, Any, Any], strict: bool, json: bool
) -> int:
    from perfproof.cli.show.profile import lint_page, metrics_page
    from perfproof.core.errors import UsageError
    from perfproof.profile.manifest.chips import find_chip

    if (lint is None) == (metrics is None):
        raise UsageError(
            "say what to profile: a target, or a command after --; or either --lint LINE or --metrics ch07"
        )
    if lint is not None:
        from perfproof.profile.lint.lint import lint as correct

        linted = correct(lint, find_chip(chip) if chip else None)
        _print(linted, lint_page(linted), json)
        return 1 if strict and linted.wrong else 0
    from perfproof.profile.manifest.selection import select

    selection = select(metrics or "", find_chip(chip or "gh100"), *changes)
    _print(selection, metrics_page(selection), json)
    return 0


def _print(result: "Linted | Selection", page: str, json: bool) -> None:
    from dataclasses import asdict
    from json import dumps

    print(dumps(asdict(result), indent=1) if json else page)
