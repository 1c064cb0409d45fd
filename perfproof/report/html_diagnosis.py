"""A diagnosis as a fragment of HTML: a section for the report of a run, of a triage, or of a page of its own.

The fragment has no style and no script; its classes are those of the report's style sheet. `page` puts it into a page
that needs nothing else, with pictures of the profiles under it. Everything that comes from a file is escaped.
"""

import base64
import hashlib
from collections.abc import Sequence
from html import escape

from perfproof.core.diagnosis import Diagnosis, Finding
from perfproof.report.diagnosis_text import (
    LABELS,
    NOTHING,
    OF_KERNELS,
    first_of_kernels,
    missing_inputs,
    saving,
    steps_line,
    work_lines,
)
from perfproof.report.formats.html import asset
from perfproof.report.html_profile import Fragment
from perfproof.report.html_profile_page import render_fragments
from perfproof.report.html_profile_page import style as style_of_pictures
from perfproof.report.html_secrets import without_secrets

TONES = {"high": "tone-good", "medium": "tone-null", "low": "tone-unsure"}  # how sure, not how grave
POLICY = "default-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'"


def render(diagnosis: Diagnosis, heading: str = "Diagnosis") -> str:
    """A `<section>`."""
    parts = [f'<section class="diagnosis"><h2>{escape(heading)}</h2>', _inputs(diagnosis)]
    parts.append(_table(diagnosis.findings) if diagnosis.findings else f"<p>{escape(NOTHING)}</p>")
    if first := first_of_kernels(diagnosis):
        parts.append(f"<p>From number {first} on: {escape(OF_KERNELS)}</p>")
    parts += [_details(number, finding) for number, finding in enumerate(diagnosis.findings, 1)]
    lowered = [
        f"{one.rule}: from {one.was} to {one.now}, because of {one.by}: {one.reason}" for one in diagnosis.downgraded
    ]
    missing = [f"{what}: {', '.join(rules)}" for what, rules in missing_inputs(diagnosis)]
    silent = [", ".join(diagnosis.silent)] if diagnosis.silent else []
    parts += [
        _list("Confidence lowered", lowered),
        _folded(f"Could not look ({len(diagnosis.abstained)} rules), for want of", missing),
        _list("Looked and found nothing", silent),
        _list("Notes", diagnosis.warnings),
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def page(diagnosis: Diagnosis, pictures: Sequence[Fragment] = ()) -> str:
    """A whole page: the fragment and the pictures with the report's style, which the policy names by its hash."""
    style = asset("report.css") + style_of_pictures()
    policy = POLICY.format("sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode())
    text = "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><title>perfproof diagnosis</title>',
            f"<style>{style}</style></head><body><header>",
            f'<p class="brand">perfproof {escape(diagnosis.perfproof_version)}</p><h1>Diagnosis</h1>',
            f'<p class="under">made {escape(diagnosis.made)}</p></header><main>',
            render(diagnosis, "What holds it back"),
            render_fragments(pictures),
            "</main></body></html>\n",
        ]
    )
    return without_secrets(text)


def _inputs(diagnosis: Diagnosis) -> str:
    lines = [f"{one.path}: {one.what}" for one in diagnosis.inputs] + [
        line for one in diagnosis.steps for line in (steps_line(one), *work_lines(one))
    ]
    return f'<ul class="small">{_items(lines)}</ul>' if lines else ""


def _table(findings: list[Finding]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in ("#", "bottleneck", "could save", "confidence", "rule"))
    rows = [
        f'<tr><td>{number}</td><th scope="row">{escape(one.title)}</th><td>{escape(saving(one))}</td>'
        f'<td><span class="chip {TONES[one.confidence]}">{one.confidence}</span></td>'
        f"<td><code>{escape(one.rule)}</code></td></tr>"
        for number, one in enumerate(findings, 1)
    ]
    caption = "<caption>What could be saved, at most, each alone; the most first</caption>"
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<div class="scroll"><table>{caption}{body}</table></div>'


def _details(number: int, finding: Finding) -> str:
    proofs = [f"{one.text} ({one.place})" if one.place else one.text for one in finding.evidence]
    rows = [(label, _value(field, getattr(finding, field))) for field, label in LABELS.items()]
    terms = "".join(f"<div><dt>{label}</dt><dd>{value}</dd></div>" for label, value in rows)
    opened = " open" if number == 1 else ""
    return (
        f"<details{opened}><summary>{number}. {escape(finding.title)}: {escape(saving(finding))}</summary>"
        f"<ul>{_items(proofs)}</ul>"
        f'<dl class="pairs">{terms}</dl></details>'
    )


def _value(field: str, text: str) -> str:
    return f"<code>{escape(text)}</code>" if field == "experiment" else escape(text)


def _list(title: str, lines: list[str]) -> str:
    return f"<h3>{escape(title)}</h3><ul>{_items(lines)}</ul>" if lines else ""


def _folded(title: str, lines: list[str]) -> str:
    """The title is always seen: who could not look has not found health."""
    return f"<details><summary>{escape(title)}</summary><ul>{_items(lines)}</ul></details>" if lines else ""


def _items(lines: list[str]) -> str:
    return "".join(f"<li>{escape(line)}</li>" for line in lines)
