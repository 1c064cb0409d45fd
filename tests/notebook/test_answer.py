"""The answer of `perfproof.compare`: attributes, text and table come from the document."""

from pathlib import Path

import pytest

from perfproof.core.documents import Check, TargetResult, Warning
from perfproof.notebook.answer import Answer
from tests.report.test_labels import judged


def an_answer():
    target = judged("faster", 1.94, 1.92, 1.96, note="a <note>")
    target.checks = [
        Check(name="matches the reference at timed sizes", result="pass"),
        Check(name="isolation", result="not-run"),
    ]
    target.warnings = [Warning(code="W105", text="one launch")]
    return Answer(target, Path("artifacts/a-run"))


def test_the_attributes_are_those_of_the_document():
    answer = an_answer()
    assert (answer.status, answer.verdict) == ("ok", "faster")
    assert (answer.ratio, answer.low, answer.high) == (1.94, 1.92, 1.96)
    before, after = answer.times
    assert (
        before / after == pytest.approx(answer.ratio)
        and answer.document.ratios
        and answer.path == Path("artifacts/a-run")
    )
    assert answer.notes == ["a <note>", "W105 one launch"]


def test_the_text_begins_with_the_sentence_and_ends_with_the_folder():
    first, *notes, last = str(an_answer()).splitlines()
    assert first.startswith("g is 1.94x faster than f") and "Answers checked" in first
    assert notes[:2] == ["- a <note>", "- W105 one launch"] and notes[2].endswith("perfproof explain W105")
    assert last == "Saved in artifacts/a-run"
    assert repr(an_answer()) == str(an_answer())


def test_the_table_for_a_notebook_is_self_contained():
    page = an_answer()._repr_html_()
    assert "1.94x [1.92, 1.96]" in page and "142 µs" in page and "1 passed, not run: isolation" in page
    assert "a &lt;note&gt;" in page, "what comes from elsewhere is escaped"
    assert not any(word in page for word in ("<script", "src=", "href=", "http"))


def test_an_answer_without_a_result_has_no_numbers():
    failed = TargetResult(target="f against g", status="failed-verification", reason="off by 3")
    answer = Answer(failed)
    assert (answer.verdict, answer.ratio, answer.low, answer.times) == (None, None, None, (None, None))
    assert "failed-verification" in str(answer) and "off by 3" in str(answer) and "off by 3" in answer._repr_html_()


def test_nothing_is_said_twice():
    target = judged("unstable", None, None, None, note="56 % of the samples were disturbed")
    text = str(Answer(target, None))
    assert text.count("disturbed") == 1


def test_a_busy_machine_is_said_first():
    busy = Answer(an_answer().document, None, "W107 machine busy (load 9.4)")
    assert (
        busy.notes[0] == "W107 machine busy (load 9.4)" and "- W107" in str(busy) and "load 9.4" in busy._repr_html_()
    )
