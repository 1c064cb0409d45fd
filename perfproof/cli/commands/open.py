"""Open the report page of a run in a browser.

The page is one file, report.html in the run's folder; it is written if it is missing or older than the run. RUN is
latest, previous, an id, the beginning of one, or a path.
"""

import os
import sys
from typing import Annotated

from perfproof.cli import values
from perfproof.cli.values import argument, option

PLACE = "Read 1"  # in perfproof --help
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")  # variables that say where a browser can show something


def command(
    run: Annotated[str, argument("RUN", "latest, an id, a name, or a path.")] = "latest",
    only_print: Annotated[bool, option("--print", "Only print the path of the page.")] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
) -> int:
    from perfproof.app.report_page import current_page
    from perfproof.history.folders import find_run

    page = current_page(find_run(artifacts_dir, run))
    print(page)
    if not only_print and not _show(page.absolute().as_uri()):
        print("perfproof: no browser could be opened here; open this file in one", file=sys.stderr)
    return 0


def _show(address: str) -> bool:
    """Did a browser take it? Without a display a browser of the terminal would take over the terminal."""
    import webbrowser

    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in DISPLAYS):
        return False
    return webbrowser.open(address)
