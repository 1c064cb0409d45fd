"""GitHub Markdown that shows names as they are."""

from perfproof.core.documents import Warning
from perfproof.report.formats import md
from tests.report.sample_runs import everything, judged, run, target


def test_a_reader_without_the_run_can_repeat_it():
    text = md.render(run(target(), command=["perfproof", "ab", "python old.py", "python new.py"]))
    assert "perfproof ab 'python old.py' 'python new.py'" in text and "above 1" in text
    made = run(target(), command=["perfproof", "x.py"], options={"functions": True})
    assert "Repeat it" not in md.render(made), "functions are compared by a program"


def test_a_row_for_every_variant_with_the_same_cells():
    rows = [line for line in md.render(everything()).splitlines() if line.startswith("|")]
    assert rows[2] == "| faster | 3.21x [3.18, 3.24] | 3.21 ms | 1.00 ms | ch01:batched\\_gemm |"
    assert len(rows) == 2 + 13


def test_the_sentences_come_first():
    text = md.render(run(target()))
    assert text.index("3.21x faster than baseline") < text.index("| verdict |")


def test_what_a_gate_decided_is_the_heading():
    lost = target(ratio=judged("slower", 0.8, 0.78, 0.82), verdict="slower")
    assert md.render(run(lost, options={"gate": True})).startswith("### perfproof: gate failed: b is slower than a by")
    assert md.render(run(target(), options={"gate": True})).startswith("### perfproof: gate passed: faster")
    assert "gate" not in md.render(run(lost))


def test_warnings_are_listed_and_notes_are_folded_away():
    codes = [Warning(code="W104", text="near the floor"), Warning(code="W105", text="one launch")]
    machine = {"warnings": [{"code": "W108", "text": "virtual"}, {"code": "W131", "text": "little memory"}]}
    shown, _, folded = md.render(run(target(warnings=codes), machine=machine)).partition("<details><summary>2 notes")
    assert "- W104: near the floor" in shown and "- W131: little memory" in shown
    assert "- W105" in folded and "- W108: virtual" in folded and "</details>" in folded
    assert "<details>" not in md.render(run(target()))


def test_the_level_of_the_intervals_is_the_real_one():
    assert "[98.5 % interval]" in md.render(run(target(ratio=judged(level=0.985))))


def test_text_cannot_break_the_table():
    broken = run(target("a|b", status="crashed", reason="line one\nline | two <b>"))
    text = md.render(broken)
    assert "| crashed |  |  |  | a\\|b |" in text
    assert "- line one line \\| two \\<b\\>" in text


def test_an_unfinished_run_says_so():
    assert "Not finished: 1 of 2 targets (interrupted)." in md.render(
        run(target(), state="interrupted", planned=["a", "b"])
    )


def test_the_evidence_is_named():
    assert "Evidence: run `20250101T000000Z-tour-abc123`, seed `00ff`." in md.render(run(target()))


def test_a_reason_stands_once_and_targets_are_named_if_there_are_several():
    unsure = judged("unstable", 1.2, None, None, note="23 % of the samples were disturbed")
    text = md.render(run(target("a", unsure, warnings=[Warning(code="W104", text="near the floor")])))
    assert text.count("23 % of the samples were disturbed") == 1 and "- W104: near the floor" in text
    both = md.render(run(target("a", warnings=[Warning(code="W104", text="near the floor")]), target("b")))
    assert "- W104 a: near the floor" in both
