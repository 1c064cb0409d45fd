"""Show a saved run in another format, or write the result tables of the chapters."""

from pathlib import Path
from typing import Annotated

import typer

from perfproof.cli import values

app = typer.Typer(add_completion=False, rich_markup_mode=None, help=__doc__)


@app.command()
def run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="latest, an id, a name, or a path.")],
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    format: values.Format = "table",
    details: values.Details = False,
) -> int:
    """Print a saved run."""
    from perfproof.cli.printing import Show, print_run
    from perfproof.history.folders import find_run, load_run

    show = Show(format, json, details)
    print_run(load_run(find_run(artifacts_dir, run)), show)
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
