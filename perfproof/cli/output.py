"""One convention for what a command prints: `--format NAME`, `-o FILE` with the format by its suffix, and `--json`."""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperOption

from perfproof.cli.values import option
from perfproof.core.errors import UsageError

SUFFIXES = {
    ".pdf": "pdf",
    ".csv": "csv",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".md": "md",
    ".txt": "table",
    ".xml": "junit",
}
PRINTED = (None, "-")  # values of -o that mean standard output

ONE = "Write the result to FILE; the file's suffix chooses the format."
Output = Annotated[str | None, option("-o --output FILE", ONE)]
SEVERAL = "Write the result to FILE, in the format of its suffix (repeatable)."
Outputs = Annotated[list[str] | None, option("-o --output FILE", SEVERAL)]


TABLE_OR_JSON = ("table", "json")


class AddedOption(TyperOption):
    """An option that the convention gives to a command; it is no setting of pyproject.toml."""


def add_output_options(command: Any, several: bool = False) -> None:
    """Give a command that prints a document what it lacks of --format and -o, and so its subcommands.

    A command with --json and no --format has two formats. One with --format and no -o takes the format from the suffix.
    `several` is for commands whose result is a run: -o may be given several times.
    """
    for child in vars(command).get("commands", {}).values():  # those of `calc` are made when one is asked for
        add_output_options(child)
    names = {written: parameter.name for parameter in command.params for written in parameter.opts}
    if "--json" not in names:
        return
    added = _missing_options(names, several)
    command.params[-1:-1] = added  # before the last one, which is --json
    if added:
        _apply_on_invoke(command, names["--json"], {option.name for option in added})


def _missing_options(names: dict[str, Any], several: bool) -> list[AddedOption]:
    added = []
    if "--format" not in names:
        added.append(_option(["--format", "format"], "NAME", "Output format: table or json."))
    if "-o" not in names:
        long = [] if "--output" in names else ["--output"]  # `calc fit --output` counts tokens
        added.append(_option(["-o", *long, "output_file"], "FILE", SEVERAL if several else ONE, several))
    return added


def _option(declared: list[str], metavar: str, text: str, several: bool = False) -> AddedOption:
    return AddedOption(param_decls=declared, type=str, metavar=metavar, help=text, multiple=several)


def _apply_on_invoke(command: Any, json: str, added: set[Any]) -> None:
    """Turn the added options into those that the command has, and write what it prints to the file."""
    invoke = command.invoke

    def invoke_with_options(context: Any) -> Any:
        values = context.params
        output = values.pop("output_file", None) if "output_file" in added else None
        further: list[tuple[str, str]] = []
        if output is not None and not isinstance(output, str):
            output, further = _one_and_further(context, list(output))
        if "format" in added:
            values[json] = choose_format(values.pop("format", None), values[json], output, TABLE_OR_JSON) == "json"
        else:
            if output not in PRINTED and not _was_given(context, "format"):
                values["format"] = _format_of(str(output))
            if values["format"] == "json":
                values.update({"format": "table", json: True})
        with written_to(output, further):
            try:
                return invoke(context)
            except typer.Exit as ended:
                return ended.exit_code

    command.invoke = invoke_with_options


def _one_and_further(context: Any, files: list[str]) -> tuple[str | None, list[tuple[str, str]]]:
    """The first file, which is written as a single one would be, and all others with their formats."""
    if len(files) < 2:
        return (files[0] if files else None), []
    refuse_one_format([name for name in ("format", "json") if _was_given(context, name)], files)
    return files[0], [(file, _format_of_run(file)) for file in files][1:]


def refuse_one_format(given: Sequence[str], files: Sequence[str]) -> None:
    """Several files have the formats of their suffixes."""
    if given:
        raise UsageError(
            f"--{given[0]} and {len(files)} times -o: each file has the format of its suffix; leave it out"
        )
    if "-" in files:
        raise UsageError("-o - prints the result: give it alone, or a file")
    if twice := next((file for file in files if files.count(file) > 1), None):
        raise UsageError(f"-o {twice} is given twice: leave one out")
    check_folders(*files)


def _format_of_run(file: str) -> str:
    if (found := _format_of(file)) == "pdf":
        raise UsageError(f"-o {file}: a PDF is printed from a saved run; perfproof report latest -o {file} writes it")
    return found


def _was_given(context: Any, name: str) -> bool:
    return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"


def _format_of(output: str) -> str:
    suffix = Path(output).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"-o {output}: the suffix {suffix!r} says no format; choose one as .md or .json, or add --format"
        )
    return SUFFIXES[suffix]


def choose_format(format: str | None, json: bool, output: str | None, known: Sequence[str]) -> str:
    """The format that was asked for: --json, --format, the suffix of -o, else the first that the command knows."""
    if json or format:
        chosen = "json" if json else str(format)
    elif output in PRINTED:
        chosen = known[0]
    else:
        suffix = Path(str(output)).suffix.lower()
        chosen = SUFFIXES.get(suffix, "")
        if chosen not in known:
            endings = ", ".join(ending for ending, name in SUFFIXES.items() if name in known)
            raise UsageError(f"-o {output}: the suffix {suffix!r} says no format; choose {endings}, or add --format")
    if chosen not in known:
        raise UsageError(f"--format {chosen!r} is unknown: choose {', '.join(known)}")
    return chosen


class _FileText(io.StringIO):
    """What will be written to a file, and the screen that stands beside it."""

    def __init__(self, screen: TextIO, further: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self.screen = screen
        self.further = further  # more files, each with its format
        self.texts: dict[str, str] = {}  # what goes into them


def screen_beside_file() -> TextIO | None:
    """Where a person still looks, if what is printed goes into a file."""
    return sys.stdout.screen if isinstance(sys.stdout, _FileText) else None


def further_files() -> list[tuple[str, str]]:
    """The files beside the first that -o names, each with its format: the command writes them by `write_further`."""
    return list(sys.stdout.further) if isinstance(sys.stdout, _FileText) else []


def write_further(file: str, text: str) -> None:
    """What goes into one of them; it is written with the first."""
    if isinstance(sys.stdout, _FileText):
        sys.stdout.texts[file] = text


@contextmanager
def written_to(output: str | None, further: Sequence[tuple[str, str]] = ()) -> Iterator[None]:
    """What is printed inside goes into the file, and the file's name to standard output."""
    if output in PRINTED:
        yield
        return
    check_folders(output)
    text = _FileText(sys.stdout, further)
    with redirect_stdout(text):
        yield
    for file, written in {str(output): text.getvalue(), **text.texts}.items():
        write_file(Path(file), written)
        print(file)


def check_folders(*files: str | Path | None) -> None:
    """Before minutes are spent on measuring: is there a folder to write each file into?"""
    for file in files:
        if file is not None and not Path(file).absolute().parent.is_dir():
            raise UsageError(f"cannot write {file}: its folder does not exist; make it, or choose another file")


def write_file(path: Path, content: str) -> Path:
    from perfproof.core.atomic import write_atomic

    try:
        write_atomic(path, content)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another file") from None
    return path


def document_text(value: Any) -> str:
    """A document, or what holds documents, as JSON."""
    from json import dumps

    def plain(one: Any) -> Any:
        return one.model_dump(mode="json")

    return dumps(value, indent=1, ensure_ascii=False, allow_nan=False, default=plain)
