"""Show a saved run as text, Markdown, CSV or a page.

\b
perfproof report                      the newest run
perfproof report RUN --format md      another run: latest, previous, an id, or its beginning
perfproof report RUN --delta 5%       judge again with another limit, without measuring
perfproof report index                write many runs as a folder of linked pages
perfproof report chapters             write the result tables of the chapters
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfproof.cli import values
from perfproof.cli.group import with_default
from perfproof.cli.output import Outputs, choose_format, refuse_one_format, written_to
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from perfproof.cli.show.run import Show

PLACE = "Read 2"  # in perfproof --help
app = typer.Typer(cls=with_default("run"), add_completion=False, rich_markup_mode=None, help=__doc__)


@app.command()
def run(
    run: Annotated[str, argument("RUN", "Saved run: latest, an id, a name, or a path.")] = "latest",
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    format: Annotated[
        str | None, option("--format NAME", "Output format: table, md, csv, junit, html, pdf or json.")
    ] = None,
    output: Outputs = None,
    details: values.Details = False,
    notes: values.Notes = False,
    quiet: values.Quiet = False,
    delta: Annotated[
        str | None, option("--delta SHARE", "Judge again: treat differences below this share as equal, such as 5%.")
    ] = None,
    judge: Annotated[
        str | None, option("--judge NAME", "Judge again by another measured quantity: cpu, memory or a metric.")
    ] = None,
    guard: Annotated[
        list[str] | None,
        option("--guard NAME", "With --gate: also fail if b is worse in this: memory, cpu, wall (repeatable)."),
    ] = None,
    gate: Annotated[
        bool,
        option("--gate", "Judge again; exit with 1 if b is certainly slower and its ratio is beyond --delta."),
    ] = False,
    strict: Annotated[
        bool,
        option(
            "--strict", "With --gate: exit with 3 if it is not decided, or if answers differ for other values (W147)."
        ),
    ] = False,
    output_may_differ: Annotated[
        bool, option("--output-may-differ", "With --gate: the two programs may print different things.")
    ] = False,
) -> int:
    """Print a saved run, or write it as one self-contained HTML page; `report RUN` does the same.

    With --delta, --judge or --gate the saved measurements are judged again; the saved run stays unchanged.
    """
    from perfproof.cli.show.run import Show, format_names, print_run
    from perfproof.history.folders import find_run, load_run

    known = ["table", *(name for name in format_names() if name != "table"), "pdf", "json"]
    files: list[str | None] = [*output] if output else [None]
    if len(files) > 1:
        refuse_one_format([*(["format"] if format else []), *(["json"] if json else [])], [str(one) for one in files])
    wanted = [(file, choose_format(format, json, file, known)) for file in files]
    folder = find_run(artifacts_dir, run)
    shown = [
        (file, name, Show("table" if name in ("json", "pdf") else name, name == "json", details, notes, quiet))
        for file, name in wanted
    ]
    if delta or judge or gate or strict or guard:
        again = Again(delta, judge, gate, output_may_differ, tuple(guard or ()), strict)
        return _judge_again(folder, again, shown)
    for file, name, show in shown:
        if name == "html":
            _write_page(folder, file)
        elif name == "pdf":
            from perfproof.app.report_page import PRINTED, write_pdf

            print(write_pdf(folder, Path(file) if file else folder / PRINTED))
        else:
            with written_to(file):
                print_run(load_run(folder), show)
    return 0


@dataclass(frozen=True)
class Again:
    """How a saved run is judged again."""

    delta: str | None
    judge: str | None
    gate: bool
    output_may_differ: bool
    guards: tuple[str, ...]
    strict: bool


def _judge_again(folder: Path, asked: Again, shown: "list[tuple[str | None, str, Show]]") -> int:
    from perfproof.app.judge_again import judge_again
    from perfproof.cli.show.run import print_run
    from perfproof.core.errors import UsageError
    from perfproof.history.folders import load_run
    from perfproof.report.gate import gate_line, strict_code

    if any(name == "pdf" for _, name, _ in shown):
        raise UsageError("a PDF shows a run as it was judged; write --format html -o FILE.html, and print that")
    if (asked.guards or asked.strict) and not asked.gate:
        raise UsageError(f"{'--guard' if asked.guards else '--strict'} is for a gate: add --gate")
    share = None if asked.delta is None else values.parse_share(asked.delta, "--delta")
    again = judge_again(
        load_run(folder), share, asked.judge, asked.gate, asked.output_may_differ, asked.guards, asked.strict
    )
    for file, _, show in shown:
        with written_to(file):
            print_run(again, show)
    if again.options["gate"]:
        print(gate_line(again), file=sys.stderr)
    code = int(asked.gate and any(target.gate == "fail" for target in again.targets))
    return strict_code(again, code) if asked.strict else code


def _write_page(folder: Path, output: str | None) -> None:
    """The page into its file, and its name to standard output; `-` prints the page itself."""
    from perfproof.app.report_page import PAGE, write_page
    from perfproof.history.folders import load_run
    from perfproof.report.formats import html

    if output == "-":
        print(html.render(load_run(folder), folder))
    else:
        print(write_page(folder, Path(output) if output else folder / PAGE))


@app.command()
def index(
    output: Annotated[str, option("--output -o DIR", "Folder to write the pages to.")] = "report",
    last: Annotated[int, option("--last N", "Write only the newest N runs.", min=1)] = 50,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print the names of the written pages as JSON, and nothing else.")] = False,
) -> int:
    """Write many runs as a folder of pages: index.html with the newest verdicts, and the report of every run."""
    from json import dumps

    from perfproof.core.atomic import write_atomic
    from perfproof.core.errors import DocumentError, NothingMatched, UsageError
    from perfproof.history.folders import list_runs, load_run
    from perfproof.report import index_page
    from perfproof.report.formats import html

    runs, where = [], Path(output)
    try:
        where.mkdir(parents=True, exist_ok=True)
        for folder in list_runs(artifacts_dir)[-last:]:
            try:
                run = load_run(folder).model_copy(update={"run": folder.name})
            except DocumentError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            write_atomic(where / index_page.page_name(run.run), html.render(run, folder, index_page.BACK) + "\n")
            runs.append(run)
        if not runs:
            raise NothingMatched(f"no runs in {artifacts_dir}; make one with `perfproof run`")
        write_atomic(where / index_page.INDEX, index_page.render(runs) + "\n")  # last: it links to the others
    except OSError as error:
        raise UsageError(f"cannot write {where}: {error.strerror}; choose another folder with --output") from None
    first = str(where / index_page.INDEX)
    pages = {run.run: str(where / index_page.page_name(run.run)) for run in runs}
    print(dumps({"index": first, "pages": pages}, indent=1) if json else first)
    return 0


@app.command()
def chapters(
    artifacts_dir: values.ArtifactsDir = "artifacts",
    check: Annotated[bool, option("--check", "Write nothing; exit with 1 if a table is out of date.")] = False,
) -> int:
    """Write the newest results into the README of each chapter and lab, and of the project, between its two marks.

    A lab whose README has marks for a climb also gets the rate of each step, as a table and as climb.svg.
    docs/quick-wins.md and docs/models.md are written too. A run that was saved before `perfproof peak` knew its
    machine is held against what is known of it now.
    """
    from perfproof.app.profile import saved_profiles
    from perfproof.bench.ceilings import with_shares
    from perfproof.core.atomic import write_atomic
    from perfproof.history.folders import list_runs, load_run
    from perfproof.pairs.catalogue import catalogue_root
    from perfproof.pairs.pair import Pair
    from perfproof.pairs.targets import catalogue
    from perfproof.report import chapters as chapters_page
    from perfproof.report import climb, model_table, quick_wins
    from perfproof.report.chapter_counters import place_counters
    from perfproof.report.chapters import BEGIN, between_marks, chapter_table, place
    from perfproof.report.front_table import front_table
    from perfproof.report.launch_table import place_launches

    known = catalogue()
    formats = {pair.name: pair.computes_in for pair in known if isinstance(pair, Pair)}
    runs = [with_shares(load_run(path), formats) for path in list_runs(artifacts_dir)]
    profiles = saved_profiles(artifacts_dir)
    folders: dict[Path, list] = {}
    for pair in known:
        folders.setdefault(pair.path.parent, []).append(pair)
    stale, tables = 0, []
    for folder, pairs in folders.items():
        readme = folder / "README.md"
        if not readme.is_file() or BEGIN not in (text := readme.read_text()):
            continue
        where = str(readme.relative_to(catalogue_root()))
        tables.append(chapter_table(pairs, runs, between_marks(text, where)))
        updated = place(text, tables[-1], where)
        updated = place_launches(updated, pairs, runs, where)
        updated = place_counters(updated, pairs, profiles, where)
        picture = folder / climb.PICTURE
        drawn = before = picture.read_text() if picture.is_file() else ""
        now = between_marks(text, where, climb.BEGIN, climb.END) if climb.BEGIN in text else None
        if now is not None and (steps := climb.climb_of(pairs, runs, now, tables[-1])):
            from perfproof.report.climb_picture import svg

            updated = place(updated, climb.climb_block(steps), where, climb.BEGIN, climb.END)
            drawn = svg(steps, pairs[0].chapter)
        if updated == text and drawn == before:
            print(f"{where}: current")
            continue
        stale += 1
        print(f"{where}: {'not current' if check else 'written'}")
        if not check:
            write_atomic(readme, updated)
            if drawn != before:
                write_atomic(picture, drawn)
    docs = catalogue_root() / "docs"
    shown = [pair for pair in known if isinstance(pair, Pair) and pair.tour]  # one per chapter
    saved = docs / "evidence" / "data" / "engine-gpu.jsonl"
    rows = model_table.read_rows(saved.read_text(), str(saved.relative_to(docs.parent))) if saved.is_file() else []
    for name, source, block in (
        ("docs/quick-wins.md", quick_wins, quick_wins.wins_block(known, tables)),
        ("docs/models.md", model_table, model_table.model_table(rows)),
        ("README.md", chapters_page, front_table(shown, tables, catalogue_root())),
    ):
        page = catalogue_root() / name
        if not page.is_file() or source.BEGIN not in (text := page.read_text()):
            continue
        updated = place(text, block, name, source.BEGIN, source.END)
        stale += updated != text
        print(f"{name}: {'current' if updated == text else 'not current' if check else 'written'}")
        if updated != text and not check:
            write_atomic(page, updated)
    return 1 if check and stale else 0
