"""The opening words of a pair: the lesson in one line, what it predicts, and where there is nothing to gain."""

import ast

import pytest

from tests.chapters.loaded_pair import CHAPTERS

CHECKED = ("ch06", "ch07", "ch08", "ch09", "ch10", "ch11", "ch12", "ch13", "ch14", "ch18", "ch19")
LABS = ("flexattention", "matmul_ladder", "moe", "whole_step")
PAIRS = [path for chapter in CHECKED for path in sorted(CHAPTERS.glob(f"{chapter}_*/*.py"))]
PAIRS += [path for lab in LABS for path in sorted((CHAPTERS.parent / "labs" / lab).glob("step_*.py"))]
LIMITS = ("No gain", "More to gain", "It pays if", "Expect less")  # one of these
MOST_WORDS = 130


def faults(docstring: str) -> list[str]:
    lesson, empty, rest = [*docstring.split("\n", 2), "", ""][:3]
    words = " ".join(docstring.split())
    found = [] if lesson.endswith(".") and not empty and rest else ["no lesson in one line"]
    found += [] if any(word in words for word in ("Predicts", "predicts", "Expect", "expect")) else ["no prediction"]
    found += [] if any(limit in words for limit in LIMITS) else ["no limit"]
    return found + (["too long"] if len(words.split()) > MOST_WORDS else [])


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_pair_says_its_lesson_its_prediction_and_its_limit(path):
    assert faults(ast.get_docstring(ast.parse(path.read_text())) or "") == []


def test_words_that_leave_something_out_are_found():
    whole = "Do it.\n\nWhy it works.\nPredicts: 2x.\nNo gain where: it is done already."
    assert faults(whole) == []
    assert faults(whole.replace("Predicts: 2x.", "It is 2x.")) == ["no prediction"]
    assert faults(whole.replace("No gain where: it is done already.", "")) == ["no limit"]
    assert faults(whole.replace("Do it.\n\n", "Do it because\n")) == ["no lesson in one line"]
    assert faults(whole + " word" * MOST_WORDS) == ["too long"]
