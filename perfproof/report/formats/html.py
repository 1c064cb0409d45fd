"""A run as one HTML page that needs nothing else: no network, no script, no file beside it.

Style and script stand in the page and are named by their hash in its content security policy, so a browser runs
nothing that a target's name or output may have smuggled in; every word of the document is escaped besides. The script
only adds comfort (copying, opening everything before printing): the page is complete without it.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from perfproof import __version__
from perfproof.core.documents import Run
from perfproof.core.units import count
from perfproof.report.figures.svg import clean
from perfproof.report.html.page import page_view
from perfproof.report.html.secrets import without_secrets
from perfproof.report.html.words import right_aligned
from perfproof.report.rows import folder_of

TEMPLATES = Path(__file__).parents[1] / "templates"
MOST_WORDS = 20_000  # characters of any one text: a document from elsewhere may hold a whole disk in a field
MOST_NAME = 300
UNIT = re.compile(r"(?<=\d) (?=(?:%|[nµm]?s|[kKMGT]?i?B|[kMGT]?Hz|J|W)(?:[\s.,;:)/]|$))")


def render(run: Run, folder: Path | None = None, links: Sequence[tuple[str, str]] = (), sources: bool = True) -> str:
    """The page; `folder` holds the raw samples, by default where the run says it was saved.

    `links` are (words, address) of the pages around it, where it is one of several; without `sources` nothing outside
    the folder is opened.
    """
    page = page_view(run, folder or _saved_folder(run), sources)
    return render_page("report.html", page=page, links=links, version=run.perfproof_version)


def render_page(template: str, more_style: str = "", script: bool = True, **values: Any) -> str:
    """A page of templates/ with the report's style and script, which its policy names by their hashes."""
    from markupsafe import Markup

    sheet, code = asset("report.css") + more_style, asset("report.js") if script else ""
    parts = {"policy": policy(sheet, code), "style": Markup(sheet), "script": Markup(code), "version": __version__}
    return without_secrets(environment().get_template(template).render(parts | values))


def policy(style: str, script: str) -> str:
    """Nothing may be loaded; one style sheet and one script may stand in the page, those with these hashes."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


@lru_cache
def environment():
    """What fills the templates."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> object:
        """Every word of the document passes here before it is escaped."""
        return clean(cut(value)) if isinstance(value, str) and not isinstance(value, Markup) else value

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    made.filters["svg"] = Markup  # figures escape their own words
    made.filters["breakable"] = _breakable
    made.filters["prose"] = _prose
    made.filters["right_aligned"] = right_aligned
    made.globals["count"] = count
    return made


@lru_cache(maxsize=4096)
def _breakable(name: str):
    """A long name that may be broken after its colons, dashes, slashes and underscores."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([:/_-])(?=\w)", r"\1<wbr>", without_secrets(str(escape(clean(cut(name, MOST_NAME)))))))


def _prose(text: str):
    """A sentence: what stands between backticks is code, and a number is not parted from its unit."""
    from markupsafe import Markup, escape

    safe = without_secrets(str(escape(clean(cut(text)))))
    return Markup(UNIT.sub("\u00a0", re.sub(r"`([^`\n]+)`", r"<code>\1</code>", safe)))


def cut(text: str, most: int = MOST_WORDS) -> str:
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} characters more)"


def _saved_folder(run: Run) -> Path | None:
    folder = Path(folder_of(run))
    return folder if (folder / "run.json").is_file() else None


@lru_cache
def asset(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
