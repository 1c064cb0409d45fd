"""List earlier runs, show trends, find the commit of a change.

\b
perfproof history                     the newest runs, with verdict and ratio
perfproof history RUN                 the results of one run: latest, an id, a name, or its beginning
perfproof history trend TARGET        a target over time, with its change-points

The data are the run folders in --artifacts-dir. The index (history.db there, or --store) is built from them.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfproof.cli import values
from perfproof.cli.group import with_default
from perfproof.cli.output import Output, choose_format, write_file, written_to
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfproof.history.index.reading import Row
    from perfproof.history.index.store import Store
    from perfproof.history.index.trends import Trend


PLACE = "Read 4"  # in perfproof --help
app = typer.Typer(cls=with_default("show"), add_completion=False, rich_markup_mode=None, help=__doc__)

Place = Annotated[
    str | None,
    option(
        "--store PLACE",
        "Index of the history: a file or postgresql://… [default: history.db in the artifacts folder]",
        envvar="PERFPROOF_STORE",
    ),
]
Json = Annotated[bool, option("--json", "Print the result as JSON, and nothing else.")]
Format = Annotated[str | None, option("--format NAME", "Output format: table, csv or json.")]
LISTS = ("table", "csv", "json")
Limit = Annotated[int, option("--limit N", "Maximum number of rows to print.", min=1)]


@app.command()
def reindex(
    artifacts_dir: values.ArtifactsDir = "artifacts",
    store: Place = None,
    prune: Annotated[
        bool | None,
        option(
            "--prune/--keep", "Forget, or keep, runs whose folder is not here. [default: forget if the index is a file]"
        ),
    ] = None,
) -> int:
    """Rebuild the index from the run folders; a damaged index is replaced."""
    import sys

    from perfproof.app.index import store_place
    from perfproof.history.index.rebuilding import index_of, without_damage
    from perfproof.history.index.rebuilding import reindex as rebuild
    from perfproof.history.index.store import open_store

    place = store_place(store)
    if place is None and without_damage(artifacts_dir):
        print("the index was damaged, and is built anew", file=sys.stderr)
    with open_store(index_of(artifacts_dir, place)) as opened:
        done = rebuild(opened, artifacts_dir, opened.is_file if prune is None else prune)
        for why in done.skipped:
            print(f"skipped: {why}", file=sys.stderr)
        forgotten = f", forgot {done.forgotten}" if done.forgotten else ""
        print(f"indexed {done.runs} runs with {done.targets} targets{forgotten} into {opened.shown}")
        return 0


@app.command()
def show(
    run: Annotated[
        str | None,
        argument("RUN", "Run to show: latest, previous, a name, its beginning or its id. [default: list the newest]"),
    ] = None,
    target: Annotated[str | None, option("--target NAME", "Only runs that measured this target.")] = None,
    limit: Limit = 20,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    store: Place = None,
    json: Json = False,
    format: Format = None,
    output: Output = None,
) -> int:
    """List the newest runs, or the results of one run; `perfproof history` alone does the same."""
    from perfproof.core.errors import NothingMatched
    from perfproof.history.finding import only_one
    from perfproof.history.index.reading import newest_runs, results_of, results_of_runs, run_names
    from perfproof.pairs.targets import name_of

    chosen = choose_format(format, json, output, LISTS)
    with _open(artifacts_dir, store) as index:
        if run is not None:
            name = only_one(run_names(index), run, index.shown)
            rows = results_of(index, name)
        else:
            wanted = target and name_of(target)
            found = newest_runs(index, limit, wanted)
            if not found and target:
                raise NothingMatched(f"no run of {target!r} in {index.shown}")
            results = results_of_runs(index, [one["run"] for one in found])
    with written_to(output):
        if run is not None:
            _print_results(name, rows, chosen)
        else:
            _print_runs(found, results, wanted, chosen)
    return 0


def _print_runs(found: "list[Row]", results: "dict[str, list[Row]]", target: str | None, format: str) -> None:
    from perfproof.cli.show import history as lists

    if format == "json":
        lists.print_json([one | {"outcome": lists.outcome(results[one["run"]], target)} for one in found])
    elif format == "csv":
        lists.print_csv(lists.RUN_COLUMNS, lists.run_rows(found, results, target))
    elif found:
        lists.print_columns(lists.RUN_COLUMNS, lists.run_rows(found, results, target), lists.SPARE_COLUMNS)
    else:
        print("no runs yet; make one with `perfproof run`")


def _print_results(run: str, rows: "list[Row]", format: str) -> None:
    from perfproof.cli.show import history as lists

    head = ("target", "variant", "verdict", "ratio", "interval", "baseline time", "variant time")
    if format == "json":
        lists.print_json(rows)
    elif format == "csv":
        lists.print_csv(list(rows[0]) if rows else head, [list(row.values()) for row in rows])
    else:
        print(run)
        lists.print_columns(head, lists.result_rows(rows))


@app.command()
def trend(
    target: Annotated[
        str | None, argument("TARGET", "Target to follow; without it, every series with a change.")
    ] = None,
    of: Annotated[
        str | None,
        option("--of WHAT", "Quantity to follow: ratio, time, or baseline (the baseline's time). [default: ratio]"),
    ] = None,
    variant: Annotated[str | None, option("--variant NAME", "Variant of the target to follow.")] = None,
    canary: Annotated[
        str | None, option("--canary TARGET", "Divide the times by this target's time in the same run.")
    ] = None,
    kind: Annotated[str | None, option("--kind NAME", "Only machines of this kind, such as nvidia-h200.")] = None,
    fingerprint: Annotated[
        str | None, option("--fingerprint HEX", "Only the machine with this fingerprint; its first digits are enough.")
    ] = None,
    sizes: Annotated[
        list[str] | None, option("--set KEY=VALUE", "Only runs at this workload size: n=4096 (repeatable).")
    ] = None,
    clock: Annotated[str | None, option("--clock NAME", "Only series judged by this clock: call, wall.")] = None,
    since: Annotated[str | None, option("--since DATE", "Only runs since this date, such as 2026-11-01.")] = None,
    html: Annotated[str | None, option("-o --output --html FILE", "Write the trend to FILE as an HTML page.")] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    store: Place = None,
    json: Json = False,
) -> int:
    """Show a target over time, with its change-points; without TARGET, every change of every series."""
    from perfproof.core.errors import NothingMatched, UsageError
    from perfproof.history.index.choosing import Wanted
    from perfproof.history.index.keys import QUANTITIES
    from perfproof.history.index.series import read_series
    from perfproof.history.index.trends import analyse, record
    from perfproof.pairs.targets import name_of

    if of is not None and of not in QUANTITIES:
        raise UsageError(f"--of {of!r} is unknown: choose {', '.join(QUANTITIES)}")
    start = _moment(since) if since is not None else None
    if target is None:
        own = {"--of": of, "--variant": variant, "--canary": canary, "--fingerprint": fingerprint}
        _refuse_without_target(own | {"--set": sizes, "--html": html})
    with _open(artifacts_dir, store) as index:
        if target is None:
            return _every_change(index, kind, clock, start, json)
        asked: dict[str, Any] = {"kind": kind, "fingerprint": fingerprint, "clock": clock, "since": start}
        asked |= {"variant": variant, "canary": canary and name_of(canary), "held": _held(sizes or [])}
        series = read_series(index, Wanted(name_of(target), of or "ratio", **asked))  # type: ignore[arg-type]
        if not series.points:
            raise NothingMatched(f"no point of {target!r} since {since}, only before; choose another --since")
        found = analyse(index, series)
        if since is None:
            record(index, found)
    _print_trend(found, html, json)
    return 0


@app.command()
def query(
    sql: Annotated[str, argument("SQL", "One SELECT over the tables runs, results, environment, changes.")],
    limit: Limit = 1000,
    csv: Annotated[bool, option("--csv", "Print CSV; the same as --format csv.")] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    store: Place = None,
    json: Json = False,
    format: Format = None,
    output: Output = None,
) -> int:
    """Query the index with SQL; it is opened read-only."""
    from perfproof.cli.show import history as lists
    from perfproof.history.index.reading import ask

    chosen = choose_format(format or ("csv" if csv else None), json, output, LISTS)
    with _open(artifacts_dir, store) as index:
        head, rows = ask(index, sql, limit)
    with written_to(output):
        if chosen == "json":
            lists.print_json([dict(zip(head, row, strict=True)) for row in rows])
        elif chosen == "csv":
            lists.print_csv(head, rows)
        else:
            lists.print_columns(head, rows)
    return 0


@app.command("import")
def import_files(
    files: Annotated[list[Path], argument("FILES", "JSON result files of another benchmark tool.")],
    commit: Annotated[str | None, option("--commit HASH", "Commit that was measured.")] = None,
    date: Annotated[str | None, option("--date DATE", "Date of the measurement, if the file does not say it.")] = None,
    machine: Annotated[
        str | None, option("--machine NAME", "Name of the measured machine; its times form one series.")
    ] = None,
    tags: Annotated[list[str] | None, option("--tag WORD", "Tag to find the imported results by (repeatable).")] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    store: Place = None,
) -> int:
    """Import results of pytest-benchmark, pyperf, hyperfine, Google Benchmark, nvbench or asv."""
    import sys

    from perfproof.core.units import seconds
    from perfproof.history.index.rebuilding import index_folder
    from perfproof.history.kept_imports import keep_import, says_machine

    with _open(artifacts_dir, store) as index:
        for file in files:
            folder, found = keep_import(artifacts_dir, file, commit, date, tags or [], machine)
            index_folder(index, folder)
            less = f", {len(found.left_out)} left out" if found.left_out else ""
            print(f"{folder.name}: {len(found.measured)} results of {file}{less}")
            for one in found.measured:
                print(f"  {one.name}: {one.statistic} {seconds(one.seconds)}")
            for why in found.left_out:
                print(f"left out: {why}", file=sys.stderr)
            if not says_machine(found.environment, machine):
                print(f"no trend of {file}: it does not say on which machine; add --machine NAME", file=sys.stderr)
            if not found.zone_known and date is None:
                print(f"{file}: its date is a local time without a zone; --date gives one with it", file=sys.stderr)
        return 0


@app.command()
def bisect(
    good: Annotated[str, option("--good REV", "Revision before the change.")],
    bad: Annotated[str, option("--bad REV", "Revision after the change.")],
    target: Annotated[
        str | None, argument("TARGET", "Pair, or module:function, to measure.", show_default=False)
    ] = None,
    a: Annotated[str | None, option("--a CMD", "Command of a whole program to measure, instead of a pair.")] = None,
    variant: Annotated[str | None, option("--variant NAME", "Variant of the pair. [default: its first]")] = None,
    judge: Annotated[
        str,
        option(
            "--judge NAME",
            "Quantity that tells a good from a bad revision of a program: wall, cpu, memory or a metric.",
        ),
    ] = "wall",
    metric: Annotated[
        list[str] | None,
        option("--metric SPEC", "Number that the program prints, written as in perfproof ab (repeatable)."),
    ] = None,
    arguments: Annotated[str | None, option("--args TEXT", "Arguments of the function, as in perfproof ab.")] = None,
    setup: Annotated[
        str | None, option("--setup CODE", "Python code that runs before --args, as in perfproof ab.")
    ] = None,
    effort: values.Effort = None,
    delta: Annotated[
        str | None,
        option(
            "--delta SHARE",
            "If the two revisions differ by less than this, there is nothing to search for. [default: 1%]",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        option("--budget TIME", "Start no comparison that would end later than this, and print what is left: 5m."),
    ] = None,
    fast: Annotated[bool, option("--fast", "Use the pair's small smoke sizes.")] = False,
    device: values.Device = None,
    telemetry: values.Telemetry = True,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Json = False,
) -> int:
    """Find the commit that caused a difference between two revisions, by paired runs; your files stay unchanged."""
    from perfproof.app.ab.asked import Asked
    from perfproof.app.bisect import how_to_go_on, measurer, search
    from perfproof.cli.show.history import print_json
    from perfproof.cli.show.progress import progress_line
    from perfproof.core.errors import UsageError
    from perfproof.core.options import RunOptions
    from perfproof.core.units import count
    from perfproof.machine.facts import read_facts
    from perfproof.machine.worktrees import repository_of

    if target and a is None and " " in target.strip() and not Path(target).exists():
        target, a = None, target  # as ab takes a whole program
    if (target is None) == (a is None):
        raise UsageError("name one target, or a whole program with --a 'COMMAND'")
    options = RunOptions(
        targets=(target,) if target else (),
        fast=fast,
        device=device,
        telemetry=telemetry,
        artifacts_dir=artifacts_dir,
        **values.parsed(effort=effort, delta=delta),
    )
    asked = Asked(
        targets=options.targets,
        a=a,
        variant=variant,
        judged=judge,
        metrics=tuple(metric or ()),
        arguments=arguments,
        setup=setup,
    )
    folder = Path(target).resolve().parent if target and target.endswith(".py") else Path.cwd()
    with progress_line(quiet=json) as news:
        measure = measurer(asked, options, read_facts(device), news)
        say = _to_stderr if json else print
        limit = values.parsed(budget=budget).get("budget")
        found = search(repository_of(folder), good, bad, measure, say, options.delta, limit)  # type: ignore[arg-type]
    if json:
        print_json(found.as_json())
        return 4 if found.left else 0
    print(f"last good commit: {found.last_good}")
    if found.left:
        steps = (
            f"about {count(found.steps_left, 'step')} more would tell" if found.steps_left else "one step more tells"
        )
        print(f"the budget ended the search: one of {found.left} commits is the first bad one; {steps}")
        print(how_to_go_on(found.known_good, found.known_bad))
        return 4
    one = len(found.culprits) == 1
    print("first bad commit:" if one else "the first bad commit is one of (skipped commits could not be told apart):")
    for culprit in found.culprits:
        print(f"  {culprit}")
    return 0


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _open(artifacts_dir: str, store: str | None) -> "Store":
    from perfproof.app.index import store_place
    from perfproof.history.index.rebuilding import open_index

    return open_index(artifacts_dir, store_place(store))


def _moment(since: str) -> str:
    """A date as a person writes it, in the form of the documents."""
    from perfproof.core.errors import UsageError
    from perfproof.history.foreign import moment

    try:
        return moment(since)
    except (ValueError, OverflowError):
        raise UsageError(f"--since {since!r} is no date: write 2026-11-01 or 2026-11-01T10:00:00Z") from None


def _refuse_without_target(own: dict[str, Any]) -> None:
    """What belongs to one series says nothing of all of them."""
    from perfproof.core.errors import UsageError

    given = [option for option, value in own.items() if value]
    if given:
        raise UsageError(f"{', '.join(given)}: only of one target; name it, as in history trend TARGET {given[0]} …")


def _every_change(index: "Store", kind: str | None, clock: str | None, since: str | None, json: bool) -> int:
    from perfproof.cli.show import trend as trend_views
    from perfproof.cli.show.history import print_json
    from perfproof.core.units import count
    from perfproof.history.index.choosing import NO_MACHINE
    from perfproof.history.index.series import targets_without_machine
    from perfproof.report.trend.words import whole

    read, found, homeless = 0, [], targets_without_machine(index)
    for one in _all_trends(index, kind, clock, since):
        read += 1
        found += [one] if one.changes else []  # the others, which are most, are not held
    if json:
        print_json([trend_views.as_json(one) for one in found])
        return 0
    for one in found:
        key = one.series.key
        print(f"{key.target}: {whole(key)}")
        for change in one.changes:
            print("\n".join(f"  {line}" for line in trend_views.change_lines(key, change)))
    reach = f" since {since}" if since else ""
    print(f"{read} series of {trend_views.FEWEST} points or more{reach}, {len(found)} with a change")
    if homeless:
        print(f"no trend of the times of {count(homeless, 'target')}: {NO_MACHINE}")
    return 0


def _all_trends(index: "Store", kind: str | None, clock: str | None, since: str | None) -> "Iterator[Trend]":
    """Of all series that fit and are long enough. What was found in a part of a series is not kept as its changes."""
    from perfproof.core.errors import NothingMatched
    from perfproof.history.index.series import Series, every_key, points_of
    from perfproof.history.index.trends import analyse, record
    from perfproof.report.trend.words import FEWEST

    every = every_key(index, FEWEST)
    keys = [key for key in every if kind in (None, key.kind) and clock in (None, key.clock)]
    if every and not keys:
        there = ", ".join(sorted({f"{key.kind} by {key.clock or 'no clock'}" for key in every}))
        raise NothingMatched(f"no series of {FEWEST} points or more on that --kind and --clock; there are: {there}")
    for key in keys:
        points = points_of(index, key, since)
        if len(points) < FEWEST:
            continue
        one = analyse(index, Series(key, points))
        if since is None:
            record(index, one)
        yield one


def _held(items: list[str]) -> dict[str, str]:
    """KEY=VALUE, or TARGET.KEY=VALUE as `run` takes it."""
    from perfproof.core.errors import UsageError

    held = {}
    for item in items:
        left, equals, text = item.partition("=")
        key = left.strip().rpartition(".")[2]
        if not equals or not key:
            raise UsageError(f"--set {item!r} is not KEY=VALUE; write for example --set n=4096")
        held[key] = text.strip()
    return held


def _print_trend(found: "Trend", html: str | None, json: bool) -> None:
    from dataclasses import replace

    from perfproof.cli.show import trend as trend_views
    from perfproof.cli.show.history import print_json

    if html is not None:
        from perfproof.report.trend.page import render
        from perfproof.report.trend.words import view

        seen = view(found)
        write_file(Path(html), render(replace(seen, subtitle=f"{seen.subtitle}; {found.series.conditions}")))
    if json:
        print_json(trend_views.as_json(found))
        return
    head, *rest = trend_views.lines(found)
    print("\n".join([head, found.series.conditions, *rest, *([f"page: {html}"] if html else [])]))
