"""GitHub Markdown that shows names as they are."""

from perfproof.report.formats import md
from tests.report.sample_runs import everything, run, target


def test_a_row_for_every_variant_with_the_same_cells():
    rows = [line for line in md.render(everything()).splitlines() if line.startswith("|")]
    assert rows[2] == "| faster | 3.21x [3.18, 3.24] | 3.21 ms | 1.00 ms | ch01:batched\\_gemm |"
    assert len(rows) == 2 + 13


def test_text_cannot_break_the_table():
    broken = run(target("a|b", status="crashed", reason="line one\nline | two <b>"))
    text = md.render(broken)
    assert "| crashed |  |  |  | a\\|b |" in text
    assert "- a\\|b: line one line \\| two \\<b\\>" in text


def test_an_unfinished_run_says_so():
    assert "Not finished: 1 of 2 targets (interrupted)." in md.render(
        run(target(), state="interrupted", planned=["a", "b"])
    )


def test_the_evidence_is_named():
    assert "Evidence: run `20250101T000000Z-tour-abc123`, seed `00ff`." in md.render(run(target()))
