"""Options from `[tool.perfproof]` of the nearest pyproject.toml.

    [tool.perfproof]
    artifacts-dir = "measurements"     # for every command that has the option

    [tool.perfproof.run]
    effort = "final"                   # for `run` alone

A name that no command has is an error: a setting that is silently ignored is worse than none.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from perfproof.cli.output import AddedOption
from perfproof.core.errors import UsageError
from perfproof.core.pyproject import read_settings

MOST_NAMED = 3


def defaults(name: str, command: Any, all_commands: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The settings of one command, in the form of click's default map; `all_commands` is asked only if it must be."""
    path, table = read_settings(Path.cwd())
    if path is None or not table:
        return {}
    shared = {key: value for key, value in table.items() if not isinstance(value, dict)}
    own = table.get(name, {})
    known = options(command)
    if any(key != name and (isinstance(value, dict) or key not in known) for key, value in table.items()):
        _check(path, table, all_commands())
    _check_table(path, name, own, known)
    values = {known[key]: value for key, value in (shared | own).items() if key in known}
    return _spread(command, values)


def options(command: Any) -> dict[str, str]:
    """Long option names without the dashes, each with its parameter's name; those of a group are its commands'."""
    found = {}
    for parameter in command.params:
        if isinstance(parameter, AddedOption):
            continue
        for written in parameter.opts:
            if written.startswith("--") and written != "--help":
                found[written.removeprefix("--")] = parameter.name
    for child in getattr(command, "commands", {}).values():
        found |= options(child)
    return found


def _check(path: Path, table: dict[str, Any], commands: dict[str, Any]) -> None:
    every = {key: name for command in commands.values() for key, name in options(command).items()}
    for key, value in table.items():
        if isinstance(value, dict) and key in commands:
            _check_table(path, key, value, options(commands[key]))
        elif isinstance(value, dict) or key not in every:
            near = _nearest(key, commands if isinstance(value, dict) else every, "perfproof COMMAND --help")
            raise UsageError(f"{path}: [tool.perfproof] has no {key!r}; {near}")


def _check_table(path: Path, command: str, table: Any, known: dict[str, str]) -> None:
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [tool.perfproof.{command}] must be a table of options")
    for key in table:
        if key not in known:
            near = _nearest(key, known, f"perfproof {command} --help")
            raise UsageError(f"{path}: [tool.perfproof.{command}] has no {key!r}; {near}")


def _nearest(key: str, known: Iterable[str], listing: str) -> str:
    """A few names that may be meant; all of them would be many lines."""
    from difflib import get_close_matches

    near = get_close_matches(key, sorted(known), n=MOST_NAMED)
    return (f"near it: {', '.join(near)}; " if near else "") + f"`{listing}` shows what there is"


def _spread(command: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Of a group: its own values, and the same ones for each of its commands."""
    children = getattr(command, "commands", None)
    if not children:
        return values
    own = _of(command, values)
    return own | {name: _of(child, values) for name, child in children.items()}


def _of(command: Any, values: dict[str, Any]) -> dict[str, Any]:
    return {parameter.name: values[parameter.name] for parameter in command.params if parameter.name in values}
