"""Show a saved run in another format, write many as linked pages, or the result tables of the chapters."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfproof.cli import values

if TYPE_CHECKING:
    from perfproof.core.documents import Run

app = typer.Typer(add_completion=False, rich_markup_mode=None, help=__doc__)


PAGE, PRINTED = "report.html", "report.pdf"  # in the run's folder


@app.command()
def run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="latest, an id, a name, or a path.")],
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="table, md, csv, junit, html or pdf.")
    ] = "table",
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Of a page or a PDF; - prints the page. [default: in the run's folder]",
        ),
    ] = None,
    details: values.Details = False,
) -> int:
    """Print a saved run, or write it as one HTML page that needs nothing else."""
    from perfproof.cli.show.run import Show, print_run
    from perfproof.core.errors import UsageError
    from perfproof.history.folders import find_run, load_run

    show = Show("html" if format == "pdf" else format, json, details)
    page = show.format == "html" and not json
    if output is not None and not page:
        raise UsageError("--output is for --format html and pdf; redirect what other formats print: > FILE")
    folder = find_run(artifacts_dir, run)
    saved = load_run(folder)
    if page:
        _write_page(saved, folder, output, printed=format == "pdf")
    else:
        print_run(saved, show)
    return 0


def _write_page(saved: "Run", folder: Path, output: str | None, printed: bool) -> None:
    """The page or its PDF into a file, and its name to standard output; `-` prints the page itself."""
    from perfproof.core.atomic import write_atomic
    from perfproof.core.errors import UsageError
    from perfproof.report.formats import html
    from perfproof.report.html_pdf import print_page

    page = html.render(saved, folder)
    if output == "-" and printed:
        raise UsageError("a PDF is not printed to the terminal; name its file: --output FILE.pdf")
    if output == "-":
        print(page)
        return
    path = Path(output) if output else folder / (PRINTED if printed else PAGE)
    content = print_page(page) if printed else page + "\n"
    try:
        write_atomic(path, content)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another file with --output") from None
    print(path)


@app.command()
def index(
    output: Annotated[str, typer.Option("--output", "-o", metavar="DIR", help="The folder of the pages.")] = "report",
    last: Annotated[int, typer.Option("--last", metavar="N", min=1, help="Only the newest runs.")] = 50,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON, and nothing else.")] = False,
) -> int:
    """Write many runs as a folder of pages: index.html with the newest verdicts, and the report of every run."""
    import sys
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
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a table is not current.")] = False,
) -> int:
    """Write the newest results into the README of each chapter and lab, and of the project, between its two marks."""
    from perfproof.core.atomic import write_atomic
    from perfproof.history.folders import list_runs, load_run
    from perfproof.pairs.catalogue import catalogue_root
    from perfproof.pairs.pair import Pair
    from perfproof.pairs.targets import catalogue
    from perfproof.report.chapters import BEGIN, between_marks, chapter_table, place

    runs = [load_run(path) for path in list_runs(artifacts_dir)]
    folders: dict[Path, list] = {}
    for pair in catalogue():
        folders.setdefault(pair.path.parent, []).append(pair)
        if isinstance(pair, Pair) and pair.tour:
            folders.setdefault(catalogue_root(), []).append(pair)  # the front page shows one pair a chapter
    stale = 0
    for folder, pairs in folders.items():
        readme = folder / "README.md"
        if not readme.is_file() or BEGIN not in (text := readme.read_text()):
            continue
        where = str(readme.relative_to(catalogue_root()))
        updated = place(text, chapter_table(pairs, runs, between_marks(text, where)), where)
        if updated == text:
            print(f"{where}: current")
            continue
        stale += 1
        print(f"{where}: {'not current' if check else 'written'}")
        if not check:
            write_atomic(readme, updated)
    return 1 if check and stale else 0
