"""GitHub Markdown that shows names as they are."""

from perfproof.core.documents import Warning
from perfproof.report.formats import md
from tests.report.sample_runs import everything, judged, run, target


def test_a_reader_without_the_run_can_repeat_it():
    text = md.render(run(target(), command=["perfproof", "ab", "python old.py", "python new.py"]))
    assert "perfproof ab 'python old.py' 'python new.py'" in text and "above 1" in text
    made = run(target(), command=["python", "x.py"], options={"functions": True})
    assert "Repeat it with:\n\n```\npython x.py\n" in md.render(made)
    assert "Repeat it" not in md.render(run(target(), command=[], options={"functions": True})), "of a notebook"


def test_a_row_for_every_variant_with_the_same_cells():
    rows = [line for line in md.render(everything()).splitlines() if line.startswith("|")]
    assert rows[2] == "| faster | 3.21x [3.18, 3.24] | 3.21 ms | 1.00 ms | ch01:batched\\_gemm |"
    assert len(rows) == 2 + 13


def test_the_sentences_come_first():
    text = md.render(run(target()))
    assert text.index("3.21x faster than baseline") < text.index("| verdict |")


def test_what_a_gate_decided_is_the_heading():
    lost = target(ratio=judged("slower", 0.8, 0.78, 0.82), verdict="slower")
    said = md.render(run(lost, options={"gate": True}))
    assert said.startswith("### perfproof: gate failed (time, delta 1 %)\n\nb is slower than a by more than 1 %: 0.80x")
    passed = md.render(run(target(), options={"gate": True}))
    assert passed.startswith("### perfproof: gate passed (time, delta 1 %)\n\nb against a: faster")
    assert "gate" not in md.render(run(lost))


def test_warnings_are_listed_and_notes_are_folded_away():
    codes = [Warning(code="W104", text="near the floor"), Warning(code="W105", text="one launch")]
    machine = {"warnings": [{"code": "W108", "text": "virtual"}, {"code": "W131", "text": "little memory"}]}
    shown, _, folded = md.render(run(target(warnings=codes), machine=machine)).partition(
        "<details><summary>2 notes: virtual machine (W108), one launch only (W105)</summary>"
    )
    assert "- W104: near the floor" in shown and "- W131: little memory" in shown
    assert "- W105" in folded and "- W108: virtual" in folded and "</details>" in folded
    assert "<details>" not in md.render(run(target()))


def test_behind_a_gate_the_state_of_the_machine_is_a_folded_line():
    machine = {"warnings": [{"code": "W107", "text": "load 2.7"}, {"code": "W108", "text": "virtual"}]}
    own = [Warning(code="W104", text="near the floor")]
    made = run(target(warnings=own), machine=machine, options={"gate": True})
    shown, _, folded = md.render(made).partition("<details><summary>2 notes: the machine is busy (W107), virtual")
    assert "- W104: near the floor" in shown and "W107" not in shown and "- W107: load 2.7" in folded
    shown = md.render(run(target(), machine=machine)).partition("<details>")[0]
    assert "- W107: load 2.7" in shown, "without a gate it is about the figures"


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


def test_what_is_said_of_one_of_several_variants_names_it():
    several = target("x", warnings=[Warning(code="W147", text="b does not follow the baseline for `x`")])
    several.ratios = {"a": judged(note="3 of 8 launches"), "b": judged(note="4 of 8 launches")}
    lines = [line for line in md.render(run(several)).splitlines() if line.startswith("- ")][2:]
    assert lines == [
        "- a: 3 of 8 launches",
        "- b: 4 of 8 launches",
        "- W147: b does not follow the baseline for \\`x\\`",
    ]
