"""The bundle's report as one page that loads nothing; its style and its content policy are those of the run report."""

from pathlib import Path

from perfproof.report.figures.svg import clean
from perfproof.report.formats.html import TEMPLATES, policy
from perfproof.triage.opening import Bundle
from perfproof.triage.story import headline, tables
from perfproof.triage.verdicts import next_steps, verdicts

OWN_TEMPLATES = Path(__file__).parent / "templates"


def page(bundle: Bundle) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    environment = Environment(
        loader=FileSystemLoader(OWN_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    return environment.get_template("triage.html").render(
        manifest=bundle.manifest,
        headline=headline(bundle),
        verdicts=verdicts(bundle),
        next_steps=next_steps(bundle),
        tables=tables(bundle),
        style=Markup(style),
        policy=policy(style, ""),
    )
