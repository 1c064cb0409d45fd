"""Every value knows its line and column; what is not plain YAML is a problem, never an exception."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.triage.intake.marks import read_marked
from perfproof.triage.intake.problems import Problem


def test_values_and_keys_have_places():
    marked = read_marked("a:\n  b: 5\n  c: [x, y]\n")
    assert marked.data == {"a": {"b": 5, "c": ["x", "y"]}}
    assert marked.values[("a", "b")] == (2, 6)
    assert marked.keys[("a", "c")] == (3, 3)
    assert marked.values[("a", "c", 1)] == (3, 10)


def test_a_value_that_is_missing_is_placed_at_the_key_above():
    marked = read_marked("x: 1\ngoal:\n  kind: both\n")
    assert str(marked.placed(Problem(("goal", "kpi"), "is missing"))) == "2:1: goal.kpi: is missing"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1, 2", "not YAML"),
        ("a: b: c", "not YAML"),
        ("a: 1\na: 2", "twice"),
        ("a: &x [1]\nb: *x", "refers to another place"),
        ("a: &x [*x]", "refers to another place"),
        ("a: !!python/object/apply:os.system ['x']", ""),
        ("a: !unknown 5", "cannot be read"),
        ("\x01", "not YAML"),
    ],
)
def test_what_is_not_plain_is_a_problem(text, said):
    marked = read_marked(text)
    assert said in " ".join(problem.text for problem in marked.problems)
    if "python" in text:
        assert marked.data == {"a": ["x"]}  # a list, and nothing was called


def test_a_date_stays_text():
    assert read_marked("a: 2026-11-15").data == {"a": "2026-11-15"}


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet="ab:- \n[]{}&*!|>'\"#1,", max_size=40))
def test_no_text_raises(text):
    read_marked(text)
