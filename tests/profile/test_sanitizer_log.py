"""What compute-sanitizer prints, written by hand in its forms: summaries, errors, and why nothing was checked."""

from pathlib import Path

import pytest

from perfproof.profile.sanitizer_log import read_log

PRINTED = Path(__file__).parent / "sanitizer"


def printed(name: str) -> str:
    return (PRINTED / f"{name}.txt").read_text()


@pytest.mark.parametrize(
    ("name", "errors"),
    [
        ("memcheck_clean", 0),
        ("memcheck_errors", 2),
        ("memcheck_limited", 224),
        ("racecheck_clean", 0),
        ("racecheck_errors", 1),
        ("racecheck_warnings", 0),
    ],
)
def test_the_summary_has_the_number_of_errors(name, errors):
    found = read_log(printed(name))
    assert found.errors == errors and "SUMMARY" in found.summary and not found.problem
    assert bool(found.reports) == ("clean" not in name)


def test_warnings_are_kept_behind_errors():
    (warning,) = read_log(printed("racecheck_warnings")).reports
    assert "reduce.cu:7" in warning and "reduce.cu:8" in warning
    errors, warnings = printed("racecheck_errors"), printed("racecheck_warnings")
    assert [one.split(":")[0] for one in read_log(warnings + errors).reports] == ["Error", "Warning"]


def test_an_error_says_what_and_where():
    first, second = read_log(printed("memcheck_errors")).reports
    assert "read of size 4" in first and "coalesced_copy.cu:18" in first and "thread (3,0,0)" in first
    assert "thread (4,0,0)" in second
    (race,) = read_log(printed("racecheck_errors")).reports
    assert "bank_conflicts.cu:21" in race and "bank_conflicts.cu:30" in race


def test_a_kernel_that_the_tool_cannot_look_at_is_not_clean():
    found = read_log(printed("racecheck_blind"))
    assert found.errors is None and "Dynamic Parallelism" in found.problem


@pytest.mark.parametrize(("name", "word"), [("no_kernel", "no kernel ran"), ("denied", "not supported")])
def test_without_a_summary_nothing_was_checked_and_the_tool_says_why(name, word):
    found = read_log(printed(name))
    assert found.errors is None and word in found.problem


@pytest.mark.parametrize("text", ["", "\n\n", "Segmentation fault", "========= COMPUTE-SANITIZER\n", "\x00\xff ERROR"])
def test_broken_output_is_no_clean_bill(text):
    found = read_log(text)
    assert found.errors is None and found.problem


def test_output_that_was_cut_off_before_its_summary_is_no_clean_bill():
    whole = printed("memcheck_errors")
    assert read_log(whole[: whole.index("ERROR SUMMARY")]).errors is None


def test_of_several_summaries_the_worst_counts():
    both = printed("memcheck_errors") + printed("memcheck_clean")
    assert read_log(both).errors == 2


def test_what_the_program_prints_itself_is_no_summary():
    assert read_log("ERROR SUMMARY: 0 errors\n").errors is None
