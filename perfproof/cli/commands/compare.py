"""Compare two saved runs, target by target; refused with the differing fields where they cannot be compared.

\b
perfproof compare previous latest                  the last two runs
perfproof compare A B --judge time --gate          times instead of speed-ups; exit 1 where B is worse
perfproof compare A B --across                     two machines, or two versions of torch: speed-ups only

A and B are ids, beginnings of names, paths, `latest` or `previous`. Marks are corrected for many comparisons
(Benjamini–Hochberg at 5 %), the gate by Holm at 5 %.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from perfproof.cli import values

if TYPE_CHECKING:
    from perfproof.history.comparison import Saved


def command(
    a: Annotated[str, typer.Argument(metavar="A", help="The earlier run.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The later run.")],
    judge: Annotated[str, typer.Option("--judge", metavar="speed-up|time", help="What is judged.")] = "speed-up",
    across: Annotated[bool, typer.Option("--across", help="Compare speed-ups of different machines.")] = False,
    canary: Annotated[
        str | None, typer.Option("--canary", metavar="TARGET", help="Unchanged target: what all targets share.")
    ] = None,
    gate: Annotated[bool, typer.Option("--gate", help="Exit 1 if B is worse, or a target has no result.")] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, typer.Option("--json", help="Print the comparison's document, and nothing else.")] = False,
) -> int:
    from json import dumps

    from perfproof.core.errors import UsageError
    from perfproof.history.comparison import compare_runs
    from perfproof.pairs.targets import name_of
    from perfproof.report.comparison_table import render

    if judge not in ("speed-up", "time"):
        raise UsageError(f"--judge {judge!r} is unknown: choose speed-up or time")
    canary = canary and name_of(canary)
    found = compare_runs(_saved(artifacts_dir, a), _saved(artifacts_dir, b), judge, canary, across)  # type: ignore[arg-type]
    if json:
        print(dumps(found.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print(render(found), end="")
    lost = [row for row in found.rows if row.worse or row.state in ("failed", "missing", "other work")]
    return 1 if gate and lost else 0


def _saved(artifacts_dir: str, name: str) -> "Saved":
    from perfproof.history.comparison import Saved
    from perfproof.history.folders import find_run, load_run

    folder = find_run(artifacts_dir, name)
    return Saved(load_run(folder), folder)
