"""A diagnosis as a fragment of HTML: a section for the report of a run, of a triage, or of a page of its own.

The fragment has no style and no script; its classes are those of the report's style sheet. `page` puts it into a page
that needs nothing else, with pictures of the profiles under it. Everything that comes from a file is escaped.
"""

from collections.abc import Sequence

from perfproof.core.diagnosis import Diagnosis
from perfproof.core.profile_record import OTHERS_RAN
from perfproof.report.diagnosis_text import (
    LABELS,
    NOTHING,
    OF_KERNELS,
    closing_notes,
    first_of_kernels,
    found_nothing,
    missing_inputs,
    saving,
    steps_line,
    work_lines,
)
from perfproof.report.formats import html
from perfproof.report.html.profile import Fragment
from perfproof.report.html.profile_page import render_fragments
from perfproof.report.html.profile_page import style as style_of_pictures

TONES = {"high": "tone-good", "medium": "tone-null", "low": "tone-unsure"}  # how sure, not how grave


def render(diagnosis: Diagnosis, heading: str = "Diagnosis") -> str:
    """A `<section>`."""
    steps = [line for one in diagnosis.steps for line in (steps_line(one), *work_lines(one))]
    return (
        html.environment()
        .get_template("diagnosis.html")
        .render(
            heading=heading,
            inputs=[*(f"{one.path}: {one.what}" for one in diagnosis.inputs), *steps],
            findings=diagnosis.findings,
            saving=saving,
            tones=TONES,
            labels=LABELS,
            nothing=NOTHING,
            of_kernels=OF_KERNELS,
            of_kernels_from=first_of_kernels(diagnosis),
            lowered=[
                f"{one.rule}: from {one.was} to {one.now}, because of {one.by}: {one.reason}"
                for one in diagnosis.downgraded
            ],
            abstained=len(diagnosis.abstained),
            missing=[f"{what}: {', '.join(rules)}" for what, rules in missing_inputs(diagnosis)],
            silent=[", ".join(nothing)] if (nothing := found_nothing(diagnosis)) else [],
            busy=[note for note in diagnosis.warnings if note.startswith(OTHERS_RAN)],
            notes=closing_notes(diagnosis),
        )
    )


def page(diagnosis: Diagnosis, pictures: Sequence[Fragment] = ()) -> str:
    """A whole page: the fragment and the pictures."""
    return html.render_page(
        "diagnosis_page.html",
        style_of_pictures(),
        script=False,
        version=diagnosis.perfproof_version,
        made=diagnosis.made,
        findings=render(diagnosis, "What holds it back"),
        pictures=render_fragments(pictures),
    )
