"""Look at runs, trends and live progress in a browser.

\b
perfproof dashboard                              on 127.0.0.1, for you alone
perfproof dashboard --host 0.0.0.0               for others: needs a token, made and printed once if none is given
perfproof dashboard --host 0.0.0.0 --name box7   under a name that browsers know the machine by

It reads the artifacts folder and changes nothing. Ctrl-C ends it.
"""

from typing import Annotated

import typer

from perfproof.cli import values

PLACE = "Read 5"  # in perfproof --help

PORT = 8321


def command(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="To listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any free one.")] = PORT,
    token: Annotated[
        str | None,
        typer.Option(
            "--token", metavar="WORD", envvar="PERFPROOF_TOKEN", help="Needed by every request; 16 letters or more."
        ),
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", metavar="HOST", help="Another name of this machine in addresses.")
    ] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    store: Annotated[
        str | None, typer.Option("--store", metavar="PLACE", help="Of the history. [default: in the artifacts folder]")
    ] = None,
) -> int:
    from pathlib import Path

    from perfproof.app.index import store_place
    from perfproof.cli.serving_pages import listen, needed_token, serve
    from perfproof.core.dashboard import Settings

    given = needed_token(token, host)
    listening = listen(host, port)
    settings = Settings(
        Path(artifacts_dir).resolve(), host, given, tuple(name or ()), store_place(store), listening.fileno()
    )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    print(f"{address}?token={given}" if given else address, flush=True)
    serve(settings, listening)
    return 0
