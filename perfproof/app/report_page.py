"""The page of a saved run: written into its folder, and written again only if the run is newer than the page."""

from pathlib import Path

from perfproof.core.atomic import write_atomic
from perfproof.core.errors import UsageError
from perfproof.history.folders import DOCUMENT, load_run

PAGE, PRINTED = "report.html", "report.pdf"  # in the run's folder


def current_page(folder: Path) -> Path:
    page, document = folder / PAGE, folder / DOCUMENT
    if page.is_file() and page.stat().st_mtime_ns > document.stat().st_mtime_ns:
        return page
    return write_page(folder, page)


def write_page(folder: Path, page: Path) -> Path:
    from perfproof.report.formats import html

    return _written(page, html.render(load_run(folder), folder) + "\n")


def write_pdf(folder: Path, path: Path) -> Path:
    from perfproof.report.browser import print_page
    from perfproof.report.formats import html

    if str(path) == "-":
        raise UsageError("a PDF is not printed to the terminal; name its file: -o FILE.pdf")
    return _written(path, print_page(html.render(load_run(folder), folder)))


def _written(path: Path, content: str | bytes) -> Path:
    try:
        write_atomic(path, content)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another file with report --output") from None
    return path
