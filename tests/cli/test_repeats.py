"""An option that takes one value is not given twice; one that takes several is, and flags may say the same twice."""

import pytest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("explain", "launch", "-o", "a.txt", "--output", "b.txt"), "--output is given twice: it takes one value"),
        (("calc", "fit", "llama-3.1-8b", "--gpu", "H100", "--gpu", "H200"), "--gpu is given twice"),
        (("history", "trend", "x", "--format", "md", "--format", "csv"), "--format is given twice"),
        (("report", "latest", "--judge", "cpu", "--judge", "memory"), "--guard NAME fails the gate on another one too"),
        (("rerun", "latest", "--judge", "cpu", "--judge", "memory"), "--judge is given twice: it takes one value"),
        (("run", "x.py", "--effort", "quick", "--effort", "final", "--effort", "quick"), "--effort is given 3 times"),
    ],
)
def test_a_second_value_is_refused_and_not_taken_instead_of_the_first(perfproof, words, said):
    done = perfproof(*words)
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1


def test_options_that_take_several_values_and_flags_may_be_repeated(perfproof, pair_files, tmp_path, fake_bench):
    (pair,) = pair_files("mine")
    done = perfproof("run", pair, "-q", "-q", "-k", "mine", "-o", "x.md", "-o", "x.json", "-o", "x.xml", "-o", "x.csv")
    assert done.code == 0 and done.out.splitlines()[-4:] == ["x.md", "x.json", "x.xml", "x.csv"]
    starts = [(tmp_path / f"x.{suffix}").read_text().lstrip()[0] for suffix in ("md", "json", "xml")]
    assert starts[1:] == ["{", "<"] and (tmp_path / "x.csv").read_text().startswith("target,")
    again = perfproof("report", "latest", "-o", "y.md", "-o", "y.json", "-o", "y.html")
    assert again.code == 0 and again.out.split()[:2] == ["y.md", "y.json"]
    assert (tmp_path / "y.md").read_text() == (tmp_path / "x.md").read_text()
    assert "<html" in (tmp_path / "y.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "a.md", "-o", "b.nothing"), "the suffix '.nothing' says no format"),
        (("-o", "a.md", "-o", "b.csv", "--json"), "--json and 2 times -o"),
        (("-o", "a.md", "-o", "-"), "-o - prints the result: give it alone"),
        (("-o", "a.md", "-o", "no/such/b.csv"), "its folder does not exist"),
    ],
)
def test_files_that_cannot_be_written_are_refused_before_anything_is_measured(
    perfproof, pair_files, tmp_path, fake_bench, words, said
):
    (pair,) = pair_files("mine")
    done = perfproof("run", pair, *words)
    assert done.code == 2 and said in done.err and not (tmp_path / "artifacts").exists()
