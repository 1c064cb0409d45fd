"""The page of a saved run: written into its folder, and written again only if the run is newer than the page."""

from pathlib import Path

from perfproof.core.atomic import write_atomic
from perfproof.core.errors import UsageError
from perfproof.history.folders import DOCUMENT, load_run

PAGE = "report.html"  # in the run's folder


def current_page(folder: Path) -> Path:
    page, document = folder / PAGE, folder / DOCUMENT
    if page.is_file() and page.stat().st_mtime_ns > document.stat().st_mtime_ns:
        return page
    return write_page(folder, page)


def write_page(folder: Path, page: Path) -> Path:
    from perfproof.report.formats import html

    text = html.render(load_run(folder), folder) + "\n"
    try:
        write_atomic(page, text)
    except OSError as error:
        raise UsageError(f"cannot write {page}: {error.strerror}; choose another file with report --output") from None
    return page
