"""Columns and paragraphs."""

from perfproof.report.text import aligned, beside, fitting, hung, listed, wrapped


def test_words_begin_and_figures_end_below_each_other():
    assert aligned([("name", "n"), ("a", "10")], right=(1,)) == ["name   n", "a     10"]
    assert aligned([("a", "long"), ("bb", "")]) == ["a   long", "bb"] and aligned([]) == []


def test_a_text_behind_a_start_goes_on_below_itself():
    start = beside(("x", "1"), (3, 3), right=(1,))
    assert hung(start, "one two three", 18) == ["x      1  one two", "          three"]
    assert hung(start, "", 18) == ["x      1"]


def test_a_paragraph_hangs_and_cuts_no_word_at_a_hyphen():
    assert wrapped("an exit-code here", 12, indent=" ", hanging="  ") == [" an", "   exit-code", "   here"]
    assert wrapped("--some-very-long-option", 8, whole_words=True) == ["--some-very-long-option"]
    assert len(wrapped("--some-very-long-option", 8)) == 3


def test_a_figure_is_not_parted_from_its_unit_and_other_words_are():
    assert wrapped("it took 20.3 µs → 6.41 µs here", 24) == ["it took 20.3 µs →", "6.41 µs here"]
    assert hung("a", "about 34 % of all", 11, least=4) == ["a  about", "   34 % of", "   all"]
    assert wrapped("for 12 samples", 8) == ["for 12", "samples"]


def test_names_have_their_texts_beside_them_or_below_if_there_is_no_room():
    entries = [("one", "what it does"), ("a-long-name-of-a-thing", "what that does, in a few more words")]
    assert listed(entries, 80)[0] == "  one                     what it does"
    narrow = listed(entries, 50)
    assert narrow[:2] == ["  one", "      what it does"] and max(map(len, narrow)) <= 50
    assert listed([], 80) == []


def test_a_table_that_does_not_fit_is_told_in_words_without_what_is_unknown():
    titles, row = ("verdict", "time", "target"), ("better", "–", "a/target:of/some/length")
    assert fitting(titles, [row], 60, name=2)[1] == ["better   –     a/target:of/some/length"]
    assert fitting(titles, [row], 14, name=2) == [[], ["a/target:of/so", "    me/length:", "    verdict", "    better"]]


def test_a_name_in_the_last_column_stands_above_its_row_if_it_does_not_fit():
    titles, row = ("verdict", "time", "target"), ("better", "–", "a/target:of/some/length")
    assert fitting(titles, [row], 30, name=2) == [["  verdict  time"], ["a/target:of/some/length", "  better   –"]]
