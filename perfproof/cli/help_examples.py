"""The examples in a command's help, laid out for the width of the terminal, and its parameters without noise.

A docstring marks them with \\b, as Click wants it. Each line is a command, and after two spaces what it does.
"""

import re
import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

from perfproof.report.text import wrapped

MARK = "\b\n"
MOST, MARGIN = 100, 4  # columns of a help text, and those that Click leaves empty
COLUMNS = 80  # without a terminal, as Click has it


def fit_examples(command: Any) -> None:
    """Lay out the examples of a command and of its subcommands, as far as those are loaded."""
    for child in vars(command).get("commands", {}).values():
        fit_examples(child)
    if MARK in (command.help or ""):
        width = min(MOST, shutil.get_terminal_size((COLUMNS, 24)).columns) - MARGIN
        command.help = "\n\n".join(_fitted(part, width) for part in command.help.split("\n\n"))


def say_once(command: Any) -> None:
    """Defaults that the help text says are not said again; ranges are left to the refusal; no braces in the usage."""
    for child in vars(command).get("commands", {}).values():
        say_once(child)
    for one in command.params:
        if "[default" in (getattr(one, "help", "") or ""):
            one.show_default = False
        if hasattr(one.type, "_describe_range"):
            one.type._describe_range = str
        if one.param_type_name == "argument" and one.required:
            one.make_metavar = partial(_plain_metavar, one.make_metavar)


def _plain_metavar(metavar: Callable[..., str], ctx: Any, usage: bool = False) -> str:
    return metavar(ctx)


def _fitted(part: str, width: int) -> str:
    """Descriptions stand beside the commands, or below them if the lines would be too long."""
    lines = part.removeprefix(MARK).splitlines()
    if not part.startswith(MARK) or max(map(len, lines)) <= width:
        return part
    entries = [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in lines]
    said = [line for name, *text in entries for line in _below(name, "".join(text), width)]
    return MARK + "\n".join(said)


def _below(name: str, text: str, width: int) -> list[str]:
    return [*wrapped(name, width, hanging="      "), *(wrapped(text, width, indent="    ") if text else [])]
