"""Check profiler command lines and counters before a GPU is used.

--lint corrects a pasted nsys or ncu line. --metrics lists the counters of a chapter, group or preset for a chip, with
the number of times every kernel is replayed to collect them. Neither needs a GPU.
"""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from perfproof.profile.lint import Linted
    from perfproof.profile.manifest.selection import Selection


def command(
    lint: Annotated[str | None, typer.Option("--lint", metavar="LINE", help="Correct this nsys or ncu line.")] = None,
    metrics: Annotated[
        str | None, typer.Option("--metrics", metavar="NAME", help="Counters of ch07, COAL, quick …: list and passes.")
    ] = None,
    chip: Annotated[str | None, typer.Option("--chip", metavar="CHIP", help="gh100, b200, sm_103 … [gh100]")] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Add what a tag needs: nccl, tensor …")
    ] = None,
    add: Annotated[
        list[str] | None, typer.Option("--add", metavar="NAME", help="Add a metric, a group or a role.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", metavar="NAME", help="Leave out a metric, a group or a role.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="With --lint: exit with 1 if the line was wrong.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")] = False,
) -> int:
    from perfproof.core.errors import UsageError
    from perfproof.profile.manifest.chips import find_chip

    if (lint is None) == (metrics is None):
        raise UsageError("say either --lint 'nsys profile …' or --metrics ch07")
    if lint is not None:
        from perfproof.profile.lint import lint as correct

        linted = correct(lint, find_chip(chip) if chip else None)
        _print(linted, lint_page(linted), json)
        return 1 if strict and linted.wrong else 0
    from perfproof.profile.manifest.selection import select

    selection = select(metrics or "", find_chip(chip or "gh100"), tag or (), add or (), drop or ())
    _print(selection, metrics_page(selection), json)
    return 0


def _print(result: "Linted | Selection", page: str, json: bool) -> None:
    from dataclasses import asdict
    from json import dumps

    print(dumps(asdict(result), indent=1) if json else page)


def lint_page(linted: "Linted") -> str:
    """One finding a paragraph, then the line to use."""
    lines = []
    for finding in linted.findings:
        lines.append(f"{finding.level:6} {finding.what}")
        lines.append(f"       why    {finding.why}")
        if finding.right or finding.level == "wrong":
            lines.append(f"       right  {finding.right or '(dropped)'}")
    lines += [] if linted.wrong else ["nothing to correct"]
    return "\n".join([*lines, "", linted.line])


def metrics_page(selection: "Selection") -> str:
    times = "time" if selection.passes == "1" else "times"
    cost = f"every kernel runs about {selection.passes} {times}" if selection.most_passes else "no replay"
    lines = [f"# {selection.name} on {selection.chip}: {len(selection.metrics)} metrics, {cost}"]
    lines += selection.metrics
    if selection.nsys:
        trace = f"--trace={','.join(selection.nsys)}"
        lines.append(f"# nsys profile {' '.join([trace, *selection.options])}")
    lines += [f"# {note}" for note in selection.notes]
    return "\n".join(lines)
