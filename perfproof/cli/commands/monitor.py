"""Show clocks, power and traffic while something runs.

The readings can be recorded, or served to Prometheus.

Without a command it runs until Ctrl-C or for --seconds. `perfproof monitor -- python train.py` ends when that command
ends and returns its exit code. A summary is printed at the end.
"""

from typing import Annotated

import typer

from perfproof.cli.values import argument, option

PLACE = "Machine 5"  # in perfproof --help
STREAMS = True  # it prints while it runs, until Ctrl-C: --record writes the file


def command(
    program: Annotated[
        list[str] | None, argument("-- COMMAND", "Command to run and to monitor.", show_default=False)
    ] = None,
    interval: Annotated[
        float | None, typer.Option(help="Seconds between two updates of the display. [default: 1]")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds, if there is no command.")] = None,
    hz: Annotated[float, typer.Option(help="Readings per second.")] = 20,
    record: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write all readings to FILE, as JSON lines.")
    ] = None,
    prometheus: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", help="Serve the readings to Prometheus at /metrics on this port; 0 takes any free one."
        ),
    ] = None,
    host: Annotated[str, typer.Option(metavar="NAME", help="Address that --prometheus listens on.")] = "127.0.0.1",
    json: Annotated[bool, option("--json", "Print the summary as JSON, and nothing else.")] = False,
) -> int:
    import sys

    from perfproof.app.monitor import EVERY_SECONDS, Wishes, monitor
    from perfproof.cli.show.telemetry import summary_lines, view

    wishes = Wishes(tuple(program or ()), interval, seconds, hz, record, prometheus, host)
    shown = view(bool(program), interval is not None, interval or EVERY_SECONDS, quiet=json)
    found = monitor(wishes, shown, lambda text: print(text, file=sys.stderr, flush=True))
    print(found.model_dump_json(indent=1) if json else "\n".join(summary_lines(found)))
    return found.exit_code or 0
