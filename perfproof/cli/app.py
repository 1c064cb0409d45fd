"""The command line: one file in commands/ is one command, and none is imported until it is used.

A command is a function `command` with Typer's annotations, or an `app = typer.Typer(...)` with a second level. It
returns its exit code (None is 0) and raises PerfproofError to refuse. `PLACE` in its file says where it stands in the
help, and the first line of its docstring is what stands there.
"""

import errno
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from perfproof import __version__
from perfproof.cli.folder import command_files, first_line, load_command
from perfproof.core.errors import PerfproofError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # nothing more can be written
__all__ = ["command_files", "first_line", "load_command", "main"]

MOST_MEANT = 3  # commands that one word may mean


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code of the process."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = 0 if _answered_at_once(words) else _run_command(words)
        sys.stdout.flush()
        return code
    except PerfproofError as error:
        return _refuse(f"{error}{_older_words(words) if 'all' in words else ''}", error.exit_code)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from perfproof.cli.group import reader_has_gone

        return reader_has_gone()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 1
    except Exception as error:
        if hasattr(error, "format_message"):  # click's own usage errors; their class is private to Typer
            return _refuse(_usage_line(error, words), 2)
        if isinstance(error, OSError) and isinstance(error.filename, str | bytes) and not _debugging():
            return _refuse(_path_line(error), 2)
        if isinstance(error, OSError) and error.errno in FULL and not _debugging():
            return _refuse(f"{(error.strerror or 'disk full').lower()}: free some, or write to another place", 2)
        return _report_bug(error)


def _answered_at_once(words: list[str]) -> bool:
    """Help, the version and what the shell asks at every Tab key: printed without loading Typer."""
    if words in ([], ["-h"], ["--help"], ["help"]):
        from perfproof.cli.front_page import front_page

        print(front_page())
    elif words in (["-V"], ["--version"]):
        print(f"perfproof {__version__}")
    elif words[:2] == ["completion", "--answer"]:
        from perfproof.cli.completion import answer

        sys.stdout.write("".join(f"{line}\n" for line in answer(" ".join(words[2:]))))
    else:
        return False
    return True


def _run_command(words: list[str]) -> int:
    import typer

    from perfproof.cli.group import application

    try:
        code = application().main(words, prog_name="perfproof", standalone_mode=False)
    except typer.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _refuse(text: str, code: int) -> int:
    print(f"perfproof: {' '.join(text.split())}", file=sys.stderr)
    return code


def _usage_line(error: Any, arguments: Sequence[str]) -> str:
    context = getattr(error, "ctx", None)
    if context is None:
        return str(error.format_message().rstrip("."))
    what = _what_is_wrong(error, context)
    known = _older_words(arguments)
    said = f"{what}{known or _no_mark(context, arguments)}"
    return f"{said}{'' if said.endswith('?') else ';'} see {context.command_path} --help"


def _what_is_wrong(error: Any, context: Any) -> str:
    """Click's message in the words of ours: `no option --efort; did you mean --effort?`."""
    if (option := getattr(error, "option_name", None)) and hasattr(error, "possibilities"):
        known = [
            name for one in context.command.params for name in (*one.opts, *one.secondary_opts) if name[:2] == "--"
        ]
        if option == "--gpus" and "--tp" in known:  # near to --gpu, which names a kind
            return "no option --gpus; --tp says how many GPUs share the model, and --gpu which kind"
        return f"no option {option}{_near_word(option, known or ['--help', '--version'])}"
    said = str(error.format_message().rstrip("."))
    if said.startswith("No such command "):
        name = said.split("'")[1]
        near = _near_word(name, context.command.list_commands(context))
        return f"no command {name!r}{near or _commands_about(name, context.command)}"
    parameter = getattr(error, "param", None)
    if said.startswith("Invalid value for ") and parameter is not None:
        name, value, least, most = parameter.opts[0], said.split("'")[3::2], *_range_of(parameter)
        if value and "is not a valid" in said:
            kind = {"int": "whole number", "float": "number"}.get(
                str(parameter.type.name).split()[0], parameter.type.name
            )
            return f"{name} {value[0]!r} is no {kind}"
        if least or most:
            given = said.partition(": ")[2].split()[0]
            return f"{name} {given} is out of range: write {' and '.join(filter(None, (least, most)))}"
    if said == "Missing command":
        return f"missing command: {' or '.join(context.command.list_commands(context))}"
    if said.startswith("Missing argument") and (text := getattr(parameter, "help", None)):
        said += f": {text.rstrip('.')}"
    return said[0].lower() + said[1:]


def _range_of(parameter: Any) -> tuple[str, str]:
    least, most = (getattr(parameter.type, name, None) for name in ("min", "max"))
    return "" if least is None else f"{least:g} or more", "" if most is None else f"at most {most:g}"


def _near_word(word: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    found = get_close_matches(word, known, n=1)
    return f"; did you mean {found[0]}?" if found else ""


def _commands_about(word: str, group: Any) -> str:
    """Commands whose first line has the word: `calc decode` is answered by `roofline`."""
    lines = group.first_lines() if hasattr(group, "first_lines") else {}
    found = [name for name, line in lines.items() if word.casefold() in re.findall(r"[\w-]+", line.casefold())]
    return f"; did you mean {' or '.join(found)}?" if 0 < len(found) <= MOST_MEANT else ""


def _older_words(words: Sequence[str]) -> str:
    from perfproof.cli.older_words import hint

    found = hint(words)
    return f"; {found}" if found else ""


def _no_mark(context: Any, arguments: Sequence[str]) -> str:
    """A hint for who wrote a program of theirs without `--` before it, where the command's help shows that form."""
    form, words = f"{context.command_path} -- ", arguments[1:]
    if "--" in words or form not in (context.command.help or ""):
        return ""
    from shutil import which

    begins_with_a_name = not "".join(words[:1]).startswith("-")
    if not words or not (begins_with_a_name or any(map(which, words))):
        return ""
    return f"; a command goes after --: {form}python train.py"


def _path_line(error: OSError) -> str:
    """A file or folder of the user's that cannot be used as it was given."""
    why = (error.strerror or type(error).__name__).lower()
    return f"{os.fsdecode(error.filename)}: {why}; check this path and who may read and write it"


def _debugging() -> bool:
    return os.environ.get("PERFPROOF_DEBUG") == "1"


def _report_bug(error: Exception) -> int:
    if _debugging():
        import traceback

        traceback.print_exception(error)
        return 1
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _refuse(f"a bug in perfproof: {what}; PERFPROOF_DEBUG=1 shows where", 1)
