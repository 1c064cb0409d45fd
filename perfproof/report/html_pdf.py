"""The report as a PDF, printed by a browser that is installed here: Chromium, Chrome or Edge, without a window."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from perfproof.core.errors import UnfitError

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
INSTEAD = "write the page with --format html and print it from any browser"
FLAGS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--no-pdf-header-footer", "--no-sandbox"),  # the page is ours and loads nothing
)
SECONDS = 120.0


def find_browser() -> str | None:
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def print_page(page: str) -> bytes:
    """The PDF of an HTML page; UnfitError without a browser, or with one that prints nothing."""
    browser = find_browser()
    if browser is None:
        raise UnfitError(f"--format pdf needs Chromium, Chrome or Edge, and none is installed; {INSTEAD}")
    with TemporaryDirectory(prefix="perfproof-pdf-") as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        command = [browser, *FLAGS, f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}", source.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnfitError(f"{browser} could not print the page: {type(error).__name__}; {INSTEAD}") from None
        if not target.is_file():
            said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][:200]
            raise UnfitError(f"{browser} printed no page: {said}; {INSTEAD}")
        return target.read_bytes()
