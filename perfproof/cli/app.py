"""The command line: one file in commands/ is one command, and none is imported until it is used.

A command is a function `command` with Typer's annotations, or an `app = typer.Typer(...)` with a second level. It
returns its exit code (None is 0) and raises PerfproofError to refuse.
"""

import ast
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from perfproof import __version__
from perfproof.core.errors import PerfproofError

COMMANDS = Path(__file__).parent / "commands"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code of the process."""
    try:
        code = _application().main(arguments, prog_name="perfproof", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except PerfproofError as error:
        return _refuse(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        return _reader_has_gone()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 1
    except Exception as error:
        if hasattr(error, "format_message"):  # click's own usage errors; their class is private to Typer
            return _refuse(_usage_line(error, sys.argv[1:] if arguments is None else arguments), 2)
        if isinstance(error, OSError) and isinstance(error.filename, str | bytes) and not _debugging():
            return _refuse(_path_line(error), 2)
        return _report_bug(error)


class CommandFolder(TyperGroup):
    """The commands that lie in the folder. Listing them reads their first line; only the chosen one is imported."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """The two options are answered here: as Typer's own they would load its validation before any help text."""
        if args[:1] in (["--version"], ["--help"]):
            print(f"perfproof {__version__}" if args[0] == "--version" else ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)  # type: ignore[arg-type]

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        try:
            return super().invoke(ctx)  # type: ignore[arg-type]
        except BrokenPipeError:  # Typer would exit with 1, which means a failed gate here
            raise typer.Exit(_reader_has_gone()) from None

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return sorted(command_files())

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        return load_command(cmd_name) if cmd_name in command_files() else None

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        self.commands = dict.fromkeys(command_files())  # type: ignore[assignment]  # searched for "did you mean"
        name, command, rest = super().resolve_command(ctx, args)  # type: ignore[arg-type]
        if name is not None:
            from perfproof.cli import settings

            ctx.default_map = {name: settings.defaults(name, command, self._all_commands)}
        return name, command, rest

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        with formatter.section("Options"):
            formatter.write_dl(
                [("--version", "Print the version and exit."), ("--help", "Show this message and exit.")]
            )
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        with formatter.section("Commands"):
            formatter.write_dl([(name, first_line(path)) for name, path in sorted(command_files().items())])

    def _all_commands(self) -> dict[str, Any]:
        return {name: load_command(name) for name in command_files()}


def command_files() -> dict[str, Path]:
    return {path.stem.replace("_", "-"): path for path in COMMANDS.glob("[a-z]*.py")}


def first_line(path: Path) -> str:
    """The first line of a file's docstring, from its text."""
    docstring = ast.get_docstring(ast.parse(path.read_text()))
    return (docstring or "").partition("\n")[0].rstrip(".")


def load_command(name: str) -> Any:
    module = importlib.import_module(f"perfproof.cli.commands.{name.replace('-', '_')}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name, help=module.command.__doc__ or module.__doc__)(module.command)
    return typer.main.get_command(app)


def _application() -> TyperGroup:
    app = typer.Typer(
        cls=CommandFolder,
        add_completion=False,
        rich_markup_mode=None,
        invoke_without_command=True,
        add_help_option=False,
        context_settings={"max_content_width": 100},
    )
    app.callback()(perfproof)
    return typer.main.get_group(app)


def perfproof(ctx: typer.Context) -> None:
    """Prove performance claims: verified output, paired measurement, an interval, and the evidence."""
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


def _refuse(text: str, code: int) -> int:
    print(f"perfproof: {' '.join(text.split())}", file=sys.stderr)
    return code


def _usage_line(error: Any, arguments: Sequence[str]) -> str:
    context = getattr(error, "ctx", None)
    if context is None:
        return str(error.format_message().rstrip("."))
    return f"{error.format_message().rstrip('.')}{_no_mark(context, arguments)}; see {context.command_path} --help"


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


def _reader_has_gone() -> int:
    """Whoever read our output has closed the pipe (`perfproof list | head`): end quietly, as SIGPIPE would."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + 13


def _debugging() -> bool:
    return os.environ.get("PERFPROOF_DEBUG") == "1"


def _report_bug(error: Exception) -> int:
    if _debugging():
        import traceback

        traceback.print_exception(error)
        return 1
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _refuse(f"a bug in perfproof: {what}; PERFPROOF_DEBUG=1 shows where", 1)
