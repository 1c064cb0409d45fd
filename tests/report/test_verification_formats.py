"""A verification as table, summary and JUnit: complete, the worst first, and safe whatever a target is called."""

import xml.etree.ElementTree as ET

import pytest

from perfproof.core.verification import NO_CANARY, Outcome, Screening, Trial, Verification
from perfproof.report.verification import junit as verification_junit
from perfproof.report.verification import summary as verification_summary
from perfproof.report.verification import table as verification_table
from perfproof.report.verification.rows import counted, outcome_rows, trial_text

NASTY = "a|b <script>\x1b[31m`x`"
SEEN = Screening(
    expected=2.0,
    today=1.8,
    difference=-0.105,
    standard_error=0.01,
    limit=0.03,
    detectable=0.025,
    between_days=0.01,
    days=5,
    flagged=True,
)
TRIAL = Trial(
    side="optimized",
    earlier="0123456789ab" + 28 * "c",
    run="a-run",
    verdict="slower",
    ratio=0.9,
    low=0.89,
    high=0.91,
    launches=20,
    found="slower",
)


def verification(*outcomes, **fields):
    values = {"perfproof_version": "0", "kind": "xeon-2c", "commit": "f" * 40, "started": "2025-01-01T00:00:00Z"}
    return Verification(
        **values | {"run": "today", "expectations": "expectations/xeon-2c.json"} | fields, outcomes=outcomes
    )


def outcome(word, name="t", **fields):
    return Outcome(target=name, variant="optimized", outcome=word, **fields)


EVERYTHING = verification(
    outcome("same", "s", screening=SEEN.model_copy(update={"flagged": False, "difference": 0.0})),
    outcome("regression", NASTY, screening=SEEN, trials=[TRIAL], reason="optimized takes 11.1 % longer"),
    outcome("inconclusive", "i", reason="too wide"),
    outcome("missing", "m", reason="crashed", status="crashed"),
    outcome("improvement", "p"),
    outcome("environment", "e", changed=["driver: 1 -> 2"]),
    outcome("new", "n", status="skipped"),
    shared_cause="5 of 6 moved down together",
)


def test_the_worst_comes_first_and_every_outcome_is_counted():
    words = [row.word for row in outcome_rows(EVERYTHING)]
    assert words == ["regression", "missing", "inconclusive", "environment", "improvement", "new", "same"]
    assert counted(EVERYTHING).startswith("1 regression, 1 missing") and counted(verification()) == "no targets"


def test_the_table_says_what_each_gate_can_see_and_what_was_confirmed():
    text = verification_table.render(EVERYTHING)
    assert "2.00x (5 days)  -10.0 % flagged  2.5 %" in text
    assert "optimized against 0123456789ab: slower, 0.90x [0.890, 0.910] over 20 launches" in text
    assert "environment: 5 of 6 moved down together" in text
    assert text.splitlines()[-1] == "next: perfproof report run a-run --format html"


def test_variants_are_told_apart_where_there_are_several():
    rows = outcome_rows(verification(outcome("same"), Outcome(target="t", variant="optimized_b", outcome="same")))
    assert [row.label for row in rows] == ["t optimized", "t optimized_b"]


def test_a_baseline_that_was_screened_or_not_is_said():
    screened = outcome("same", screening=SEEN, baseline=SEEN)
    assert "baseline over the canary: -10.0 % flagged, can see 2.5 %" in verification_table.render(
        verification(screened)
    )
    skipped = outcome("same", screening=SEEN, baseline_check="the canary c has no result")
    assert "baseline time not screened: the canary c has no result" in verification_table.render(verification(skipped))


def test_what_all_targets_lack_is_said_once():
    several = [outcome("same", name, screening=SEEN, baseline_check=NO_CANARY) for name in ("one", "two")]
    for text in (
        verification_table.render(verification(*several)),
        verification_summary.render(verification(*several)),
    ):
        assert text.count("canary") == 2 and "baseline times are not screened: there is no canary" in text


def test_files_that_differ_from_the_commit_are_said():
    found = verification(outcome("same"))
    assert "commit ffffffffffff, " in verification_table.render(found)
    found.dirty = True
    assert "commit ffffffffffff with changes" in verification_table.render(found)
    assert "commit ffffffffffff with changes" in verification_summary.render(found)


def test_a_branch_keeps_its_whole_name_and_a_hash_is_cut():
    trials = [Trial(side="optimized", earlier=name) for name in ("origin/a-long-branch", "0123456789" * 4)]
    assert [trial_text(one).partition(":")[0] for one in trials] == [
        "optimized against origin/a-long-branch",
        "optimized against 012345678901",
    ]


def test_the_summary_names_the_failed_and_shows_no_markup_of_theirs():
    text = verification_summary.render(EVERYTHING)
    first = text.splitlines()[0]
    assert first.startswith("### perfproof verify: 2 of 7 failed: a\\|b \\<script\\>") and first.endswith(", m")
    assert "| **regression** |" in text and "<script>" not in text and "environment: 5 of 6" in text


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("same", "improvement"), "no regression"),
        (("same", "new"), "no regression"),
        (("new", "new"), "nothing to compare with yet"),
        (("same", "inconclusive"), "1 of 2 not decided, no regression shown"),
    ],
)
def test_a_summary_without_a_failure_says_what_was_decided(words, title):
    assert verification_summary.render(verification(*map(outcome, words))).startswith(
        f"### perfproof verify: {title}\n"
    )


def test_junit_fails_what_regressed_and_passes_nothing_that_was_not_answered():
    suite = ET.fromstring(verification_junit.render(EVERYTHING))[0]
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["7", "2", "1", "1"]
    kinds = {case.get("name").split()[0]: [child.tag for child in case] for case in suite}
    assert kinds["i"] == ["error", "system-out"] and kinds["p"] == ["system-out"] and kinds["n"][0] == "skipped"
    assert "\x1b" not in verification_junit.render(EVERYTHING)


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (("improvement",), "perfproof expectations update today"),
        (("inconclusive", "same"), "the same on a quieter machine, or paired runs of two commits: perfproof verify t0"),
        (("same",), "perfproof report run today"),
    ],
)
def test_the_next_step_follows_from_the_worst(words, start):
    found = verification(*(outcome(word, f"t{place}") for place, word in enumerate(words)))
    assert verification_table.next_step(found).startswith(start)
    assert "alike" in verification_table.next_step(verification(outcome("same"), run="", base="main"))


def test_a_paired_run_says_what_it_can_see():
    """Half a width of 1.1 %, and 1.57 times that is found in 9 of 10 runs of 20 launches."""
    (row,) = outcome_rows(verification(outcome("regression", trials=[TRIAL]), base="main", run=""))
    assert row.sees == "1.7 %" and row.today == "–"
