"""What the shell can complete: commands, options, values of options, targets, runs and revisions.

The script of a shell asks `perfproof completion --answer LINE` at every Tab key, with the line up to the cursor. Names
are read from folders; Typer is loaded only for the options of a command, and torch never.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from perfproof.cli.folder import command_files, first_line, load_command

SHELLS = ("bash", "zsh", "fish")
Found = tuple[str, str]  # a word, and what it means


def script(shell: str) -> str:
    """What the shell reads when it starts."""
    return Path(__file__).with_suffix(f".{shell}").read_text(encoding="utf-8")


def answer(line: str) -> list[str]:
    """The words that can stand at the end of the line, each with its meaning after a tab."""
    *before, word = _words(line)
    try:
        found = [one for one in candidates(before[1:], word) if one[0].startswith(word)]
    except Exception:  # a broken setting or file is said by the command itself, not at the Tab key
        return []
    return [f"{name}\t{meaning}" if meaning else name for name, meaning in dict(found).items()]


def candidates(before: list[str], word: str) -> Iterable[Found]:
    """What can follow the words before, whether or not it begins with `word`."""
    files = command_files()
    if before[:1] == ["help"]:
        before = before[1:]
    if not before:
        return [(name, first_line(path)) for name, path in sorted(files.items())] + [("help", "Help of a command")]
    if before[0] not in files or "--" in before:
        return []
    command, rest = _innermost(load_command(before[0]), before[1:])
    if word.startswith("-") and "=" in word:
        option = word.partition("=")[0]
        return [(f"{option}={value}", meaning) for value, meaning in _option_values(command, option, word)]
    if word.startswith("-"):
        return _options(command)
    if rest and rest[-1].startswith("-") and _takes_value(command, rest[-1]):
        return _option_values(command, rest[-1], word)
    return [*_children(command, rest), *_argument_values(command, rest, word)]


def _words(line: str) -> list[str]:
    """The line as the shell would split it; the last is being written, and may be empty or have an open quote."""
    import shlex

    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    found = []
    try:
        found = list(lexer)
    except ValueError:  # no closing quote
        found = line.split()
    return found if found and not line[-1:].isspace() else [*found, ""]


def _innermost(command: Any, words: list[str]) -> tuple[Any, list[str]]:
    """The command of a second level, if one is named."""
    children = getattr(command, "commands", None) or {}
    if words and words[0] in children:
        return children[words[0]], words[1:]
    return command, words


def _children(command: Any, rest: list[str]) -> Iterator[Found]:
    for name, child in (getattr(command, "commands", None) or {}).items() if not rest else ():
        yield name, (child.help or "").partition("\n")[0].rstrip(".")


def _with_default(command: Any) -> Any:
    """`report` is `report run`: what the default command takes may follow at once."""
    default = getattr(command, "default", None)
    return command.commands[default] if default else command


def _options(command: Any) -> Iterator[Found]:
    for parameter in _with_default(command).params:
        for written in parameter.opts + getattr(parameter, "secondary_opts", []):
            if written.startswith("--") and not getattr(parameter, "hidden", False):
                yield written, (getattr(parameter, "help", "") or "").rstrip(".")
    yield "--help", "Show the options"


def _option(command: Any, written: str) -> Any:
    return next((one for one in _with_default(command).params if written in one.opts), None)


def _takes_value(command: Any, written: str) -> bool:
    option = _option(command, written)
    return option is not None and not option.is_flag


def _option_values(command: Any, written: str, word: str) -> Iterable[Found]:
    option = _option(command, written)
    return [] if option is None else _values(option, word.partition("=")[2] if word.startswith("-") else word, [])


def _argument_values(command: Any, rest: list[str], word: str) -> Iterable[Found]:
    """Values for the next argument, such as the second run of `compare A B` or one more target."""
    arguments = [one for one in _with_default(command).params if one.param_type_name == "argument"]
    values = {at + 1 for at, one in enumerate(rest) if one.startswith("-") and _takes_value(command, one)}
    given = sum(not one.startswith("-") and at not in values for at, one in enumerate(rest))
    chosen = arguments[min(given, len(arguments) - 1)] if arguments else None
    return [] if chosen is None or (given >= len(arguments) and chosen.nargs != -1) else _values(chosen, word, rest)


def _values(parameter: Any, word: str, before: list[str]) -> Iterable[Found]:
    """By what the help calls the value: RUN, TARGET, or the choices themselves, as in quick|standard|final."""
    what = parameter.metavar or ""
    if "|" in what:
        return [(choice, "") for choice in what.split("|")]
    match what.strip("[]"):
        case "TARGET" | "TARGETS":
            return _targets(word)
        case "RUN" | "A" | "B":
            return _runs(before)
        case "WORD" if parameter.param_type_name == "argument":
            return _explained()
        case "REV":
            return _revisions()
        case "SHELL":
            return [(shell, "") for shell in SHELLS]
        case "COMMAND":
            return [(name, first_line(path)) for name, path in sorted(command_files().items())]
    if "--format" in parameter.opts:
        return [(name, "") for name in _formats()]
    return []


def _targets(word: str) -> Iterator[Found]:
    """Chapters and labs, then their pairs, then pair files and folders of the user's."""
    from perfproof.pairs.catalogue import canonical, entries

    known = entries()
    written = canonical(word)
    for chapter in dict.fromkeys(entry.chapter for entry in known):
        yield chapter, "a lab" if chapter.startswith("labs/") else "a chapter"
    if ":" in word or written in {entry.chapter for entry in known}:
        for entry in known:
            yield (entry.name if written == word else entry.name.replace(written, word, 1)), ""
    yield from _own_files(word)


def _own_files(word: str) -> Iterator[Found]:
    parent = os.path.dirname(word)
    for path in sorted(Path(parent or ".").iterdir()) if os.path.isdir(parent or ".") else ():
        name = os.path.join(parent, path.name)
        if path.suffix == ".py" and not path.name.startswith(("_", "test_")):
            yield name, ""
        elif word and path.is_dir() and not path.name.startswith("."):
            yield f"{name}/", ""


def _runs(before: list[str]) -> list[Found]:
    """Newest first: `latest`, then ids with the time and the subject of the run."""
    from perfproof.history.finding import NAME, list_runs

    found = [("latest", "the newest run"), ("previous", "the one before it")]
    for path in reversed(list_runs(_artifacts(before))):
        if name := NAME.fullmatch(path.name):
            at = name["utc"]
            found.append((name["id"], f"{name['slug']}, {at[:4]}-{at[4:6]}-{at[6:8]} {at[9:11]}:{at[11:13]}"))
    return found


def _revisions() -> list[Found]:
    """Branches and tags of the repository here; the files as they are have a word of their own."""
    from perfproof.machine.git import branches_and_tags
    from perfproof.machine.worktrees import AS_THEY_ARE

    own = [(AS_THEY_ARE, "the files as they are"), ("HEAD", "the commit that is checked out")]
    return [*own, *branches_and_tags()]


def _artifacts(before: list[str]) -> str:
    from perfproof.core.pyproject import read_settings

    if "--artifacts-dir" in before[:-1]:
        return before[before.index("--artifacts-dir") + 1]
    return str(read_settings(Path.cwd())[1].get("artifacts-dir", "artifacts"))


def _explained() -> list[Found]:
    from perfproof.cli.commands.explain import groups

    return [(name, one.title) for words in groups().values() for name, one in words.items()]


def _formats() -> list[str]:
    folder = Path(__file__).parents[1] / "report" / "formats"
    return sorted(path.stem for path in folder.glob("[a-z]*.py"))
