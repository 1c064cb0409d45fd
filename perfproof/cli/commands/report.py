"""Show a saved run in another format, or write the result tables of the chapters."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfproof.cli import values

if TYPE_CHECKING:
    from perfproof.core.documents import Run

app = typer.Typer(add_completion=False, rich_markup_mode=None, help=__doc__)


PAGE = "report.html"  # in the run's folder


@app.command()
def run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="latest, an id, a name, or a path.")],
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    format: Annotated[str, typer.Option("--format", metavar="NAME", help="table, md, csv, junit or html.")] = "table",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Of an HTML page; - prints it. [default: in the run's folder]"
        ),
    ] = None,
    details: values.Details = False,
) -> int:
    """Print a saved run, or write it as one HTML page that needs nothing else."""
    from perfproof.cli.printing import Show, print_run
    from perfproof.core.errors import UsageError
    from perfproof.history.folders import find_run, load_run

    show = Show(format, json, details)
    page = show.format == "html" and not json
    if output is not None and not page:
        raise UsageError("--output is for --format html; redirect what other formats print: > FILE")
    folder = find_run(artifacts_dir, run)
    saved = load_run(folder)
    if page:
        _write_page(saved, folder, output)
    else:
        print_run(saved, show)
    return 0


def _write_page(saved: "Run", folder: Path, output: str | None) -> None:
    """The page into its file, and its name to standard output; `-` prints the page itself."""
    from perfproof.core.atomic import write_atomic
    from perfproof.core.errors import UsageError
    from perfproof.report.formats import html

    page = html.render(saved, folder)
    if output == "-":
        print(page)
        return
    path = Path(output) if output else folder / PAGE
    try:
        write_atomic(path, page + "\n")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another file with --output") from None
    print(path)


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
