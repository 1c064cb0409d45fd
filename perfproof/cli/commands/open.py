"""Open the report page of a run or of a load test in a browser.

The page is one file in the run's folder; report.html is written if it is missing or older than the run. RUN is latest,
previous, an id, the beginning of an id, or a path.
"""

import os
import sys
from typing import Annotated

from perfproof.cli import values
from perfproof.cli.values import argument, option

PLACE = "Read 1"  # in perfproof --help
LOAD_PAGE = "load.html"  # written by the test itself
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")  # variables that say where a browser can show something


def command(
    run: Annotated[str, argument("RUN", "Saved run or load test: latest, an id, a name, or a path.")] = "latest",
    only_print: Annotated[bool, option("--print", "Only print the path of the page.")] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
) -> int:
    from perfproof.history.finding import DOCUMENT, find_run

    folder = find_run(artifacts_dir, run, (DOCUMENT, LOAD_PAGE))
    page = folder / LOAD_PAGE
    if not page.is_file():
        from perfproof.app.report_page import current_page

        page = current_page(folder)
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
