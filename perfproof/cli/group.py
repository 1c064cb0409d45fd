"""The commands as one Typer group: nothing of a command is imported until it is used."""

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from perfproof import __version__
from perfproof.cli import folder
from perfproof.cli.front_page import front_page

HELP_OPTIONS = ["-h", "--help"]
NEAR = 0.75  # how alike a word must be to a command's name to be taken for a slip


class CommandFolder(TyperGroup):
    """The commands that lie in the folder; only the chosen one is imported."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """The two options are answered here: as Typer's own they would load its validation before any help text."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        if args[:1] in (["-V"], ["--version"]):
            print(f"perfproof {__version__}")
            ctx.exit()
        if args[:1] in (["-h"], ["--help"]):
            print(front_page())
            ctx.exit()
        return super().parse_args(ctx, args)  # type: ignore[arg-type]

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        try:
            return super().invoke(ctx)  # type: ignore[arg-type]
        except BrokenPipeError:  # Typer would exit with 1, which means a failed gate here
            raise typer.Exit(reader_has_gone()) from None

    def first_lines(self) -> dict[str, str]:
        return {name: folder.first_line(path) for name, path in sorted(folder.command_files().items())}

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return sorted(folder.command_files())

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        return folder.load_command(cmd_name) if cmd_name in folder.command_files() else None

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        self.commands = dict.fromkeys(folder.command_files())  # type: ignore[assignment]  # searched for "did you mean"
        name, command, rest = super().resolve_command(ctx, args)  # type: ignore[arg-type]
        if name is not None:
            from perfproof.cli import settings

            ctx.default_map = {name: settings.defaults(name, command, _all_commands)}
        return name, command, rest


def _all_commands() -> dict[str, Any]:
    return {name: folder.load_command(name) for name in folder.command_files()}


def application() -> TyperGroup:
    app = typer.Typer(
        cls=CommandFolder,
        add_completion=False,
        rich_markup_mode=None,
        invoke_without_command=True,
        add_help_option=False,
        context_settings={"max_content_width": 100, "help_option_names": HELP_OPTIONS},
    )
    app.callback()(perfproof)
    return typer.main.get_group(app)


def perfproof(ctx: typer.Context) -> None:
    """Prove performance claims: verified output, paired measurement, an interval, and the evidence."""
    if ctx.invoked_subcommand is None:
        print(front_page())


def reader_has_gone() -> int:
    """The reader of our output has closed the pipe (`perfproof list | head`): end quietly, as SIGPIPE would."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + 13


class WholeLines(TyperGroup):
    """A group that lists its commands with their whole first lines."""

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        _list_commands(self, formatter)


def with_default(default: str) -> type[TyperGroup]:
    """A group whose own name is enough: `report RUN` is `report run RUN`, and `history` is `history show`."""

    chosen = default

    class WithDefault(TyperGroup):
        default = chosen

        def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
            if args[:1] not in (["-h"], ["--help"]) and not _names_command(args, list(self.commands)):
                args = [chosen, *args]
            return super().parse_args(ctx, args)  # type: ignore[arg-type]

        def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
            """The options that its own name takes, which are those of the default, then the other commands."""
            self.commands[chosen].format_options(ctx, formatter)  # type: ignore[arg-type]
            _list_commands(self, formatter)

        def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
            return [*self.commands[chosen].collect_usage_pieces(ctx), "| COMMAND"]  # type: ignore[arg-type]

    return WithDefault


def _list_commands(group: TyperGroup, formatter: Any) -> None:
    """Each with its whole first line; Click would cut it."""
    shown = {name: one for name, one in group.commands.items() if not one.hidden}
    with formatter.section("Commands"):
        formatter.write_dl([(name, (one.help or "").strip().split("\n\n")[0]) for name, one in shown.items()])


def _names_command(words: list[str], commands: list[str]) -> bool:
    """Is the first word one of the commands, or a slip in writing one?"""
    from difflib import get_close_matches

    return bool(words) and bool(get_close_matches(words[0], commands, n=1, cutoff=NEAR))
