"""What runs of two programs print and write is compared; times, and what varies by itself, are not."""

import pytest

from perfproof.bench.programs.done_work import DoneWork, differs, listing, only_one_writes, written_between


def work(*texts, written=(), cpu=()):
    found = DoneWork()
    for at, text in enumerate(texts):
        found.add(text, {*written}, cpu[at] if cpu else 0.1)
    return found


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (
            ("loss 0.1 at 12:00", "loss 0.1 at 12:01"),
            ("loss 0.2 at 12:02", "loss 0.2 at 12:03"),
            "loss 0.1 against 0.2",
        ),
        (("took 0.10 s, total 5",) * 2, ("took 0.05 s, total 5",) * 2, ""),
        (("took 0.10s total 5",) * 2, ("took 0.05s total 5",) * 2, ""),
        (("took 0.10 s, total 5",) * 2, ("took 0.05 s, total 6",) * 2, "total 5 against 6"),
        (("x 1", "x 2"), ("x 3", "x 4"), ""),
        (("x", "x y"), ("z", "z z"), ""),  # the number of words varies
        (("a b",) * 2, ("a",) * 2, "2 words against 1"),
        (("3 files",) * 2, ("3 files",) * 2, ""),
    ],
)
def test_the_first_word_that_is_another_one_is_named(a, b, said):
    assert differs(work(*a), work(*b)) == said


def test_files_are_told_if_one_program_alone_has_some():
    a, b = work("", "", written=["out.json"]), work("", "")
    assert only_one_writes(a, b) == ("out.json", "") and only_one_writes(a, a) == ("", "")
    assert only_one_writes(a, work("", "", written=["new.json"])) == ("", ""), "each has its own name for it"


def test_a_first_run_that_is_longer_is_told_of_the_second_program_or_with_its_files():
    longer, alike = work(*"abcde", cpu=(0.3, 0.1, 0.1, 0.1, 0.1)), work(*"abcde")
    assert longer.first_run(is_second=True) == "took 200 % more CPU time than later ones"
    assert longer.first_run(is_second=False) == "", "cold files"
    assert alike.first_run(is_second=True) == ""
    longer.written[0] = {"kept.pkl"}
    assert longer.first_run(is_second=False).endswith("and left kept.pkl")


def test_files_that_are_written_again_are_seen_and_byte_code_is_not(tmp_path):
    (tmp_path / "old.txt").write_text("1")
    before = listing(tmp_path)
    (tmp_path / "old.txt").write_text("22")
    for place in ("__pycache__/old.pyc", "sub/new.txt", "a/b/c/deep.txt"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("x")
    assert written_between(before, listing(tmp_path)) == {"old.txt", "sub/new.txt"}
