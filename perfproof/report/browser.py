"""A page as a PDF and a picture as a PNG, by a browser that is installed here: Chromium, Chrome or Edge."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from perfproof.core.child import ask
from perfproof.core.errors import UnfitError

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
NO_BROWSER = "Chromium, Chrome or Edge, and none is installed"
FLAGS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--no-sandbox"),  # what it shows is ours and loads nothing
)
SECONDS = 120.0


def find_browser() -> str | None:
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def print_page(page: str) -> bytes:
    """The PDF of an HTML page; UnfitError without a browser, or with one that prints nothing."""
    instead = "write the page with --format html and print it from any browser"
    flags = ("--no-pdf-header-footer", "--print-to-pdf={}")
    return _made("--format pdf", page, "page.html", "page.pdf", flags, instead)


def take_picture(text: str, size: tuple[float, float], name: str = "page.svg", pixels: int = 2) -> bytes:
    """The PNG of an SVG file, or of the top of page.html, with so many pixels per unit; UnfitError as above."""
    width, height = size
    flags = ("--hide-scrollbars", f"--force-device-scale-factor={pixels}", f"--window-size={width:.0f},{height:.0f}")
    return _made("a .png", text, name, "page.png", (*flags, "--screenshot={}"), "write the picture as .svg")


def _made(what: str, text: str, source_name: str, made_name: str, flags: tuple[str, ...], instead: str) -> bytes:
    """What the browser writes of this text; the last flag says where to."""
    browser = find_browser()
    if browser is None:
        raise UnfitError(f"{what} needs {NO_BROWSER}; {instead}")
    with TemporaryDirectory(prefix="perfproof-browser-") as folder:
        source, target = Path(folder) / source_name, Path(folder) / made_name
        source.write_text(text, encoding="utf-8")
        asked = [flag.format(target) for flag in flags]
        command = [browser, *FLAGS, f"--user-data-dir={folder}/profile", *asked, source.as_uri()]
        done = ask(command, SECONDS)
        if not target.is_file():
            raise UnfitError(f"{browser} made no file for {what}: {done.last_line}; {instead}")
        return target.read_bytes()
