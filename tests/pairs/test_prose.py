import pytest

TOLERANCE = "tolerance = dict(rtol=1e-5, atol=1e-6)  # one rounding of float32\n"


def test_a_file_without_a_docstring_is_refused(refused, changed):
    assert refused(changed('"""Add in one call.\n\nWhy it works.\n"""\n', "")).startswith(
        ":1: no docstring; open the file with"
    )


def test_the_lesson_stands_on_the_first_line(refused, changed):
    assert "first line is empty; put the lesson right after the quotes" in refused(changed('"""Add in', '"""\nAdd in'))


def test_a_lesson_that_cannot_be_printed_is_refused(refused, changed):
    assert "cannot be printed" in refused(changed("Add in", "Add \\x1b[31m in"))


def test_an_explanation_that_cannot_be_saved_is_refused(refused, changed):
    assert "cannot be printed" in refused(changed("Why it", "Why \\ud800 it"))


def test_a_tolerance_needs_its_reason(refused, changed):
    message = refused(changed("  # one rounding of float32", ""))
    assert message == ":13: `tolerance` has no reason; say in a comment on its line where the numbers come from"


@pytest.mark.parametrize("comment", ["#", "# 1e-5", "# noqa: E501", "# type: ignore", "# fmt: skip"])
def test_a_comment_without_words_or_for_a_tool_is_no_reason(refused, changed, comment):
    assert "has no reason" in refused(changed("# one rounding of float32", comment))


@pytest.mark.parametrize(
    "text",
    [
        "# exact\ntolerance = dict(rtol=0, atol=0)\n",
        "tolerance = dict(\n    rtol=1e-5,  # one rounding\n    atol=1e-6,\n)\n",
        "tolerance = {'float32': dict(rtol=1e-5, atol=0)}  # it's one rounding\n",
    ],
    ids=["above", "inside", "after strings"],
)
def test_the_reason_may_stand_above_or_on_any_line_of_the_declaration(accepted, changed, text):
    assert accepted(changed(TOLERANCE, text)).tolerance


def test_a_number_sign_in_a_string_is_no_comment(refused, changed):
    text = changed(TOLERANCE, 'tolerance = dict({"rtol": 0, "atol": 0}, **{"# not a reason": 0})\n')
    assert "must have rtol and atol and nothing else" in refused(text)
    text = changed(TOLERANCE, 'KEY = "# not a reason"; tolerance = dict(rtol=0, atol=0)\n')
    assert "has no reason" in refused(text)
