"""The folder of commands: which there are, what their files say of themselves, and how one is loaded.

Nothing here imports Typer until a command is loaded, so that the list of commands is printed at once.
"""

import importlib
import re
from pathlib import Path
from typing import Any

COMMANDS = Path(__file__).parent / "commands"
_FIRST_LINE = re.compile(r'\s*[rR]?"""\s*(.*?)\s*("""|\n|$)')
_PLACE = re.compile(r'^PLACE = "(.*?) (\d+)"', re.MULTILINE)
NO_PLACE = ("", 0)


def command_files() -> dict[str, Path]:
    return {path.stem.replace("_", "-"): path for path in COMMANDS.glob("[a-z]*.py")}


def first_line(path: Path) -> str:
    """The first line of a file's docstring, from its text."""
    found = _FIRST_LINE.match(path.read_text())
    return found[1].rstrip(".") if found else ""


def place(path: Path) -> tuple[str, int]:
    """Where a command stands in `perfproof --help`: its file says `PLACE = "Measure 1"`, a group and a number in it."""
    found = _PLACE.search(path.read_text())
    return (found[1], int(found[2])) if found else NO_PLACE


def load_command(name: str) -> Any:
    import typer

    from perfproof.cli.help_examples import fit_examples, say_once
    from perfproof.cli.repeats import refuse_repeats

    module = importlib.import_module(f"perfproof.cli.commands.{name.replace('-', '_')}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name, help=module.command.__doc__ or module.__doc__)(module.command)
    loaded = typer.main.get_command(app)
    fit_examples(loaded)
    say_once(loaded)
    if not getattr(module, "STREAMS", False):
        from perfproof.cli.output import add_output_options

        add_output_options(loaded, getattr(module, "SEVERAL_FILES", False))
    refuse_repeats(loaded)
    return loaded
