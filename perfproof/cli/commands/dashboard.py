"""Look at runs, trends and live progress in a browser.

\b
perfproof dashboard                              on 127.0.0.1, for this machine only
perfproof dashboard --open                       and open it in a browser
perfproof dashboard --host 0.0.0.0               for other machines; makes and prints a token if none is given
perfproof dashboard --host 0.0.0.0 --name box7   also accept this host name in addresses

The dashboard reads the artifacts folder and changes nothing. Ctrl-C stops it.
"""

from typing import Annotated

from perfproof.cli import values
from perfproof.cli.values import option

PLACE = "Read 5"  # in perfproof --help

PORT = 8321


def command(
    host: Annotated[str, option("--host ADDRESS", "Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("--port N", "Port to listen on; 0 takes any free one.", min=0, max=65535)] = PORT,
    token: Annotated[
        str | None,
        option("--token WORD", "Token that every request must bring; 16 characters or more.", envvar="PERFPROOF_TOKEN"),
    ] = None,
    name: Annotated[
        list[str] | None,
        option("--name HOST", "Further host name under which browsers reach this machine (repeatable)."),
    ] = None,
    open_browser: Annotated[bool, option("--open", "Open the address in a browser.")] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    store: Annotated[
        str | None,
        option("--store PLACE", "Index of the history: a file or postgresql://… [default: in the artifacts folder]"),
    ] = None,
) -> int:
    import sys
    from pathlib import Path

    from perfproof.app.index import store_place
    from perfproof.cli.serving import become, listen, needed_secret, show_in_browser
    from perfproof.core.dashboard import VARIABLE, Settings, to_text
    from perfproof.history.folders import list_runs

    given = needed_secret(token, host, "--token")
    listening = listen(host, port)
    settings = Settings(
        Path(artifacts_dir).resolve(), host, given, tuple(name or ()), store_place(store), listening.fileno()
    )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    whole = f"{address}?token={given}" if given else address
    print(whole, flush=True)
    count = len(list_runs(settings.artifacts))
    print(
        f"{count:,} run{'' if count == 1 else 's'} in {settings.artifacts}; Ctrl-C stops it",
        file=sys.stderr,
        flush=True,
    )
    if open_browser:
        show_in_browser(whole)
    become("perfproof.web", {VARIABLE: to_text(settings)}, listening, "PERFPROOF_TOKEN")
    return 0
