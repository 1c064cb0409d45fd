"""The reports: what warns comes first, hostile names stay text, and the page loads nothing."""

import pytest

from perfproof.core.triage import TriageStep, UseRow, UseTable
from perfproof.triage.report import markdown
from perfproof.triage.report_html import page
from perfproof.triage.story import headline, tables

HOSTILE = "<script>alert(1)</script>|[x](y)\n# not a heading"


@pytest.fixture
def full(make_bundle):
    row = UseRow(resource=HOSTILE, utilisation=0.99, saturation="unknown: why", errors=0, warning="the CPUs are full")
    made = make_bundle(
        walls=(1.0, 2.0),
        use=UseTable(seconds=5, rows=[row]).model_dump(),
        host={"distribution": "Debian", "kernel": "Linux 6"},
        gpu={"driver": "1", "gpus": [{"index": 0, "name": "H200", "pcie_width": 8, "pcie_width_max": 16}]},
        diagnosis={
            "findings": [
                {"title": "idle", "share": 0.31, "confidence": "high", "advice": "x", "experiment": "perfproof y"}
            ]
        },
        compile={"events": [{"kind": "graph break", "count": 2, "where": "a.py:1", "reason": "print"}]},
    )
    made.manifest.steps.append(TriageStep(name="ceilings", status="timed out", why="late", deadline_seconds=1))
    return made


def test_the_tables_come_in_the_order_of_what_to_look_at(full):
    titles = [table.title for table in tables(full)]
    assert titles == [
        "Bottlenecks",
        "The command, unprofiled",
        "torch.compile",
        "The machine",
        "Resources, before any command",
        "How it was collected",
    ]
    assert "31.0 %" in tables(full)[0].rows[0]
    assert ("GPU 0", "H200, driver 1, PCIe x8 of x16") in tables(full)[3].rows


def test_verdicts_and_what_to_do_next_stand_before_the_facts(full):
    for text in (markdown(full), page(full)):
        said = ("could save at most 31.0 %", "What to do next", "## The machine", ">The machine<")
        places = [text.index(one) for one in said if one in text]
        assert len(places) == 3 and places == sorted(places)
        assert text.index("Verdicts") < text.index("ceilings: timed out: late") < text.index("What to do next")


def test_a_hostile_name_stays_text_in_both_reports(full):
    text, html = markdown(full), page(full)
    assert "<script" not in text and "\n# not" not in text
    assert "<script" not in html and "&lt;script&gt;" in html


def test_the_page_loads_nothing_and_has_a_policy(full):
    html = page(full)
    assert "default-src &#39;none&#39;" in html
    assert "http://" not in html and "https://" not in html and "src=" not in html.replace("default-src", "")


def test_an_empty_bundle_says_how_it_was_collected(make_bundle):
    assert [table.title for table in tables(make_bundle())] == ["How it was collected"]
    assert "snapshots only: no command was given" in headline(make_bundle())


def test_a_bundle_that_was_not_redacted_says_so(make_bundle):
    made = make_bundle()
    made.manifest.redacted = False
    assert "NOT redacted: not for sharing" in markdown(made)
