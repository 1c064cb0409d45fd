"""Show what this machine is: CPU, memory, GPUs, links, software."""

from typing import Annotated

import typer

from perfproof.cli.values import option

PLACE = "Machine 1"  # in perfproof --help

app = typer.Typer(add_completion=False, rich_markup_mode=None, help=__doc__, invoke_without_command=True)

Json = Annotated[bool, option("--json", "Print the result as JSON, and nothing else.")]


@app.callback()
def page(ctx: typer.Context, json: Json = False) -> int:
    if ctx.invoked_subcommand is not None:
        return 0
    from perfproof.cli.show import hardware
    from perfproof.machine.hardware import read_hardware

    found = read_hardware()
    print(found.model_dump_json(indent=2) if json else hardware.summary(found))
    return 0


@app.command()
def dump(json: Json = False) -> int:
    """Print everything that was read, field by field."""
    from perfproof.cli.show import hardware
    from perfproof.machine.hardware import read_hardware

    found = read_hardware()
    print(found.model_dump_json(indent=2) if json else hardware.dump(found.model_dump()))
    return 0


@app.command()
def topology(json: Json = False) -> int:
    """Print the NUMA nodes with their cores, GPUs and network devices, and the links between the GPUs."""
    from perfproof.cli.show import hardware
    from perfproof.machine.hardware import read_hardware

    found = read_hardware()
    print(found.topology.model_dump_json(indent=2) if json else hardware.topology(found))
    return 0


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def bind(ctx: typer.Context, json: Json = False) -> int:
    """Print the command that starts a program on the CPUs and memory near each GPU. `hw bind -- python train.py`."""
    from json import dumps

    from perfproof.cli.show import hardware
    from perfproof.machine.binding import bindings, quoted
    from perfproof.machine.hardware import read_hardware

    found = read_hardware()
    lines = bindings(found, quoted(ctx.args))
    print(dumps([line.model_dump() for line in lines], indent=2) if json else hardware.bindings(found, lines))
    return 0
