"""What is said below a row, and what is left to the notes."""

from perfproof.core.documents import Light, Warning
from perfproof.report.remarks import notes_of, remarks_of, warnings_for_all
from perfproof.report.rows import target_rows
from tests.report.sample_runs import MODES, SAME, judged, run, side, target


def remarks(one):
    return remarks_of(run(one), one, target_rows(one)[0])


def warned(*codes, ratio=None, **fields):
    return target("x", ratio, warnings=[Warning(code=code, text=f"about {code}") for code in codes], **fields)


def test_a_warning_is_shown_and_a_routine_remark_is_a_note():
    found = remarks(warned("W104", "W105", "W106"))
    assert found.shown == ("W104 about W104",)
    assert found.notes == ("W105 about W105", "W106 about W106")


def test_one_warning_may_be_a_note_by_itself():
    long = target("x", warnings=[Warning(code="W126", text="calls are long", kind="note")])
    assert remarks(long).shown == () and remarks(long).notes == ("W126 calls are long",)
    assert remarks(warned("W126")).shown == ("W126 about W126",)


def test_what_the_sentence_says_is_not_said_again():
    cut = judged("indicative", 1.03, None, None, note="2 of 8 launches measured: raise --budget or --timeout")
    assert remarks(warned("W118", ratio=cut)) == remarks(target("x", MODES)) == remarks(warned("W111", ratio=MODES))
    assert remarks(warned("W118")).shown == ("W118 about W118",), "a verdict that stands is another matter"


def test_switching_is_said_by_its_code_or_by_the_ratio_never_by_both():
    switched = judged(carry_over=-0.125)
    assert len(remarks(warned("W103", ratio=switched)).notes) == 1
    (note,) = remarks(target("x", switched)).notes
    assert "12.5 %" in note


def test_set_up_matters_and_ceilings_are_notes():
    sides = {
        "baseline": side(light=Light(ceiling="dram", share=0.2)),
        "optimized": side(setup_seconds=2.0, light=Light(ceiling="dram", share=0.4)),
    }
    found = remarks(target("x", variants=sides))
    assert "set-up 2.00 s" in found.shown[0] and any("dram" in note for note in found.notes)


def test_what_an_equal_pair_would_have_shown_is_a_note():
    assert remarks(target("x", SAME)).notes == ("would have found 0.6 % in 9 of 10 runs",)


def test_a_failure_has_its_reason_and_its_log():
    crashed = target("x", status="crashed", reason="signal\n11", log="logs/x.log")
    assert remarks(crashed).shown == ("signal 11", "log: artifacts/20250101T000000Z-tour-abc123/logs/x.log")


def test_notes_of_several_targets_name_theirs_and_nothing_is_lost():
    made = run(warned("W104", "W127", "W128", "W105"), machine={"warnings": [{"code": "W108", "text": "virtual"}]})
    assert notes_of(made) == ["W108 virtual", "W128 about W128", "W105 about W105"]
    made = run(warned("W104", "W127", "W128", "W105"), target("b"))
    assert notes_of(made) == ["x: W128 about W128", "x: W105 about W105"]
    assert warnings_for_all(made) == []


def test_a_warning_that_names_a_variant_stands_below_its_row():
    both = Warning(code="W104", text="the file")
    one = target("x", warnings=[Warning(code="W147", text="b does not follow the baseline for `x`"), both])
    one.ratios = {"a": judged(), "b": judged()}
    first, second = (remarks_of(run(one), one, row).shown for row in target_rows(one))
    assert first == ("W104 the file",) and second == ("W147 b does not follow the baseline for `x`",)
