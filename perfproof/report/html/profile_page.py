"""One profile as one HTML page that needs nothing else, with the style and the strict policy of the report."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from perfproof.report.formats import html
from perfproof.report.html.profile import Fragment
from perfproof.report.html.secrets import without_secrets


@dataclass(frozen=True)
class ProfilePage:
    title: str
    facts: list[tuple[str, str]]
    fragments: Sequence[Fragment]
    unknown: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def render_page(page: ProfilePage) -> str:
    return html.render_page("profile.html", style(), page=page)


def render_fragments(fragments: Sequence[Fragment]) -> str:
    """Sections for a page of somebody else, who puts `style()` into its style sheet."""
    text = html.environment().get_template("profile_fragments.html").render(fragments=fragments)
    return without_secrets(text)


def style() -> str:
    """What the pictures need beside the report's own style sheet."""
    return html.asset("profile.css")
