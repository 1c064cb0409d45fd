"""Every code that is raised anywhere is explained, and every explanation says what to do."""

import re
from pathlib import Path

import pytest

import perfproof.core
from perfproof.core.documents import Status, Verdict
from perfproof.core.explanations import CODES, GROUPS, STATUSES, VERDICTS
from perfproof.core.verification import OutcomeWord
from perfproof.core.warning_kinds import NOTES, kind_of
from perfproof.core.warnings import warn

PACKAGE = Path(perfproof.core.__file__).parents[1]


def test_every_code_in_the_source_is_explained():
    used = {code for file in PACKAGE.rglob("*.py") for code in re.findall(r'"(W\d{3})"', file.read_text())}
    assert used
    assert used <= set(CODES)


def test_a_code_about_the_machine_means_nothing_else():
    """Both kinds stand in one document, and `--allow` takes those about the machine."""
    raised = {
        package: {
            code
            for file in (PACKAGE / package).rglob("*.py")
            for code in re.findall(r'warn\(\s*"(W\d{3})"', file.read_text())
        }
        for package in ("machine", "bench")
    }
    assert raised["machine"] and raised["bench"]
    assert not raised["machine"] & raised["bench"]


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, words in GROUPS.items() for name in words])
def test_an_explanation_has_a_title_a_meaning_and_a_remedy(group, name):
    found = GROUPS[group][name]
    assert 0 < len(found.title) <= 60 and not found.title.endswith(".")
    assert found.meaning.endswith(".") and found.remedy.endswith(".")


def test_what_is_routine_is_a_note_and_what_asks_for_something_is_a_warning():
    assert set(NOTES) < set(CODES)
    assert {kind_of(code) for code in ("W105", "W106", "W108", "W101")} == {"note"}
    assert {kind_of(code) for code in ("W104", "W107", "W118", "W127", "W128")} == {"warning"}
    assert (warn("W108", "x").kind, warn("W104", "x").kind) == ("note", "warning")


def test_codes_are_a_letter_and_three_digits():
    assert all(re.fullmatch(r"W\d{3}", code) for code in CODES)


def test_every_verdict_and_status_of_the_documents_is_explained():
    assert set(VERDICTS) == set(Verdict.__args__)
    assert set(STATUSES) == set(Status.__args__)
    assert set(VERDICTS | GROUPS["Results over time"]) > set(OutcomeWord.__args__)


def test_a_warning_of_an_unknown_code_cannot_be_made():
    assert warn("W101", "small pool").model_dump() == {"code": "W101", "text": "small pool", "kind": "note"}
    with pytest.raises(ValueError, match="W999"):
        warn("W999", "x")
