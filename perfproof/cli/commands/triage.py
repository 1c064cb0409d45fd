"""Collect facts, timings, a profile and a diagnosis of a slow program.

\b
perfproof triage                               snapshots only: under a minute, no GPU and no root needed
perfproof triage -- python train.py            also time, profile and diagnose the command
perfproof triage show BUNDLE                   print what is in a bundle
perfproof triage diff A B                      what differs between two machines or two days
perfproof triage ab A B                        a before/after table to send back

The command is split into arguments and started without a shell; the bundle records its exit code. Names, addresses
and secrets are replaced, and the archive is searched for them once more before it is kept.

If a run of the command takes longer than --timeout, it is ended with everything it started: the bundle says "timed
out", holds what was recorded until then, and has no profile. For a job of one hour: --timeout 70m --budget 5h
--repeats 1.
"""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from perfproof.cli import values
from perfproof.cli.group import WholeLines
from perfproof.cli.values import argument, option

PLACE = "Profile 4"  # in perfproof --help


class WithCommand(WholeLines):
    """Everything after `--` is the user's command, and no name of a command of ours."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        own = args[: args.index("--")] if "--" in args else args
        ctx.meta["program"] = tuple(args[len(own) + 1 :])
        if "--" in args and not args[len(own) + 1 :]:
            ctx.fail("there is no command after --")
        return super().parse_args(ctx, list(own))  # type: ignore[arg-type]


app = typer.Typer(
    cls=WithCommand, add_completion=False, rich_markup_mode=None, help=__doc__, invoke_without_command=True
)
BundlePath = Annotated[Path, argument("BUNDLE", "Bundle: a .tgz that `perfproof triage` wrote, or its folder.")]
Json = Annotated[bool, option("--json", "Print the result as JSON, and nothing else.")]


@app.callback()
def collect(
    ctx: typer.Context,
    output_root: Annotated[Path, option("--output-root DIR", "Folder that bundles are written to.")] = Path(
        "artifacts/triage"
    ),
    tag: Annotated[str, option("--tag TEXT", "Text to add to the bundle's name.")] = "",
    intake: Annotated[
        Path | None, option("--intake FILE", "Intake form (perfproof intake) to put into the bundle.")
    ] = None,
    tool: Annotated[str, option("--tool NAME", "Profiler: auto, nsys, torch, dmon or none.")] = "auto",
    repeats: Annotated[int, option("--repeats N", "Number of timed runs without a profiler.", min=1)] = 5,
    metric: Annotated[
        list[str] | None,
        option("--metric SPEC", "Number that the command prints, written as in perfproof ab (repeatable)."),
    ] = None,
    budget: Annotated[str, option("--budget TIME", "Time limit for everything together: 90s, 30m.")] = "30m",
    timeout: Annotated[
        str | None,
        option(
            "--timeout TIME", "Time limit per run of the command. [default: 5m or, if it is more, a sixth of --budget]"
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        option("--only STEP", "Take only these snapshots (repeatable, or with commas); none: no snapshot."),
    ] = None,
    ceilings: Annotated[
        bool, option("--ceilings", "Also measure what the machine can do, as perfproof peak does.")
    ] = False,
    compile_diagnostics: Annotated[
        bool, option("--compile-diagnostics", "Run the command once more with torch.compile's log switched on.")
    ] = False,
    max_size: Annotated[
        float, option("--max-size MIB", "Maximum size of any output or file that is kept, in MiB.", min=0.01)
    ] = 16,
    redact: Annotated[
        bool, option("--redact/--no-redact", "Replace names, addresses and secrets in the bundle.")
    ] = True,
    json: Json = False,
) -> int:
    if ctx.invoked_subcommand is not None:
        return 0
    from perfproof.bench.programs.metrics import parse_metric
    from perfproof.core.errors import UsageError
    from perfproof.triage.bundle import TOOLS
    from perfproof.triage.session import MiB, TriageOptions

    if tool not in TOOLS:
        raise UsageError(f"--tool {tool!r} is unknown: choose {', '.join(TOOLS)}")
    seconds = values.parse_positive_duration(budget, "--budget")
    for_a_run = values.parse_positive_duration(timeout, "--timeout") if timeout else None
    if for_a_run is not None and for_a_run > seconds:
        raise UsageError(f"--timeout {timeout} for a run, --budget {budget} for everything: raise --budget above it")
    options = TriageOptions(
        command=ctx.meta["program"],
        output_root=output_root,
        tag=tag,
        intake=intake,
        tool=tool,
        repeats=repeats,
        budget=seconds,
        timeout=for_a_run,
        only=tuple(part.strip() for one in only or [] for part in one.split(",") if part.strip()),
        ceilings=ceilings,
        compile_diagnostics=compile_diagnostics,
        redact=redact,
        max_bytes=round(max_size * MiB),
        metrics=tuple(parse_metric(one) for one in metric or ()),
    )
    return _make(options, json)


@app.command()
def show(
    bundle: BundlePath,
    full: Annotated[bool, option("--full", "Print every table in full.")] = False,
    json: Json = False,
) -> int:
    """Print what is in a bundle: verdicts, what to do next, bottlenecks, runs, the machine."""
    from perfproof.cli.show.triage import shown
    from perfproof.triage.opening import open_bundle

    found = open_bundle(bundle)
    print(_text({"manifest": found.manifest.model_dump(), "parsed": found.parsed}) if json else shown(found, full))
    return 0


@app.command()
def diff(a: BundlePath, b: BundlePath, json: Json = False) -> int:
    """Print what differs between two bundles, of two machines or two days; the most important first."""
    from dataclasses import asdict

    from perfproof.cli.show.triage import differences
    from perfproof.core.triage_parts import TriageDiff, TriageDifference
    from perfproof.triage.diff import diff as compare
    from perfproof.triage.opening import open_bundle

    first, second = open_bundle(a), open_bundle(b)
    found = compare(first, second)
    names = first.manifest.name, second.manifest.name
    rows = [TriageDifference(**asdict(one)) for one in found]
    document = TriageDiff(a=names[0], b=names[1], differences=rows)
    print(document.model_dump_json(indent=1) if json else differences(found, *names))
    return 0


@app.command()
def ab(
    a: Annotated[Path, argument("A", "Bundle before the change, or `latest`; without B, a run of `perfproof ab`.")],
    b: Annotated[Path | None, argument("B", "Bundle after the change.")] = None,
    dollars_per_hour: Annotated[
        str | None,
        option("--dollars-per-hour X[,Y]", "Cost of the machine in dollars per hour; Y: that of B, if it differs."),
    ] = None,
    json: Json = False,
) -> int:
    """Print a before/after table: throughput, latency, use, network, goodput, cost, power, accuracy, with intervals."""
    from dataclasses import asdict

    from perfproof.cli.show.triage import returned
    from perfproof.core.triage_parts import TriageTable, TriageTableRow
    from perfproof.history.folders import find_run, load_run
    from perfproof.triage.opening import open_bundle
    from perfproof.triage.returned import commands_differ, from_bundles, from_run

    ratio: Literal["ratio a/b", "ratio b/a"]
    prices = values.parse_prices(dollars_per_hour, "--dollars-per-hour") if dollars_per_hour else None
    if b is None:
        rows, ratio = from_run(load_run(find_run("artifacts", str(a))), prices), "ratio a/b"
    else:
        first, second = open_bundle(a), open_bundle(b)
        rows, ratio = from_bundles(first, second, prices), "ratio b/a"
        if differ := commands_differ(first, second):
            print(f"perfproof: {differ}", file=sys.stderr)
    document = TriageTable(ratio=ratio, rows=[TriageTableRow(**asdict(row)) for row in rows])
    print(document.model_dump_json(indent=1) if json else returned(rows, ratio))
    return 0


def _make(options: Any, json: bool) -> int:
    from perfproof.app.session import terminated_like_interrupted
    from perfproof.cli.show.triage import made
    from perfproof.triage.bundle import make_bundle

    with terminated_like_interrupted():
        packed = make_bundle(options, _tell)
    print(packed.manifest.model_dump_json(indent=1) if json else made(packed))
    return 130 if packed.manifest.state == "interrupted" else 0


def _tell(line: str) -> None:
    if sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)


def _text(value: Any) -> str:
    import json

    return json.dumps(value, indent=1)
