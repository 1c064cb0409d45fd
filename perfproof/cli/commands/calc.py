"""Calculate KV cache, memory fit, hardware limits, cost and energy.

A MODEL is the path of a config.json, or the name of a model shape that comes with perfproof.
`perfproof calc NAME --explain` prints the formula of a calculator.
"""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from perfproof.cli.app import first_line
from perfproof.cli.calculator_commands import calculator_files, command_of
from perfproof.cli.output import add_output_options
from perfproof.cli.repeats import refuse_repeats
from perfproof.cli.values import option

PLACE = "Plan 1"  # in perfproof --help


class CalculatorFolder(TyperGroup):
    """The calculators that lie in their folder. Listing reads their first line; only the chosen one is imported."""

    @property
    def commands(self) -> Any:
        """All of them, as settings need them."""
        return {name: _command(name) for name in calculator_files()}

    @commands.setter
    def commands(self, ignored: Any) -> None:
        """The folder is the list."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(calculator_files())

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        return _command(cmd_name) if cmd_name in calculator_files() else None

    def first_lines(self) -> dict[str, str]:
        return {name: first_line(path) for name, path in calculator_files().items()}

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        with formatter.section("Commands"):
            formatter.write_dl(list(self.first_lines().items()))


app = typer.Typer(
    cls=CalculatorFolder, add_completion=False, rich_markup_mode=None, help=__doc__, invoke_without_command=True
)


@app.callback()
def listing(
    ctx: typer.Context,
    list_all: Annotated[
        bool, option("--list", "List the calculators, the shipped model shapes and the GPU data sheets.")
    ] = False,
    json: Annotated[bool, option("--json", "Print the list as JSON, and nothing else.")] = False,
) -> int:
    if list_all or ctx.invoked_subcommand is None:
        _print_list(json)
        raise typer.Exit
    return 0


def _command(name: str) -> Any:
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(command_of(name))
    command = typer.main.get_command(alone)
    add_output_options(command)
    refuse_repeats(command)
    return command


def _print_list(as_json: bool) -> None:
    import json

    from perfproof.calc.shipped_shapes import shipped_names, shipped_shape
    from perfproof.cli.width import text_width
    from perfproof.machine.datasheet import SHEETS
    from perfproof.report.text import listed

    purposes = {name: first_line(path) for name, path in calculator_files().items()}
    shapes = [shipped_shape(name) for name in shipped_names()]
    if as_json:
        facts = {
            shape.name: {"parameters": shape.published, "attention": shape.attention_kind, "source": shape.source}
            for shape in shapes
        }
        facts_of_cards = {
            sheet.name: {"memory_gb": sheet.memory_gb, "tflops": _tera(sheet), "source": sheet.source}
            for sheet in SHEETS
        }
        everything = {"schema_version": 1, "calculators": purposes, "shapes": facts, "gpus": facts_of_cards}
        print(json.dumps(everything, indent=2))
        return
    width = text_width()
    print("calculators (perfproof calc NAME --explain: the formula):")
    print("\n".join(listed(purposes.items(), width)))
    print("\nshapes of models (or give the path of a config.json):")
    sizes = [f"{(shape.published or 0) / 1e9:.2f} billion parameters, {shape.attention_kind}" for shape in shapes]
    print("\n".join(listed(zip([shape.name for shape in shapes], sizes, strict=True), width)))
    print("\ndata sheets of GPUs (--gpu NAME):")
    cards = [(sheet.name, f"{_memory(sheet.memory_gb)}, {sheet.source}") for sheet in SHEETS]
    print("\n".join(listed(cards, width)))
    print("\nsources of the shapes: perfproof calc --list --json")


def _memory(gigabytes: float | None) -> str:
    return "unknown" if gigabytes is None else f"{gigabytes:g} GB"


def _tera(sheet: Any) -> dict[str, float]:
    return {dtype: rate / 1e12 for dtype, rate in sheet.flops.items()}
