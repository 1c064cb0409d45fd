"""Write a template of a pair file; it runs as it is."""

from pathlib import Path
from typing import Annotated

import typer

from perfproof.cli.values import option

PLACE = "Measure 5"  # in perfproof --help


def command(
    name: Annotated[str, typer.Argument(help="Name of the pair; the file will be NAME.py.")],
    folder: Annotated[Path, option("--folder", "Folder to write the file to.")] = Path("."),
) -> int:
    from perfproof.pairs.template import write_new

    path = write_new(name, folder)
    print(f"wrote {path}: it runs as it is; put your own functions in")
    print(f"next: perfproof run {path}")
    return 0
