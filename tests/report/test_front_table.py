"""The table of the front page: one pair per chapter, from the chapters' own tables, with few columns."""

from dataclasses import replace
from pathlib import Path

from perfproof.report.chapters import chapter_table
from perfproof.report.front_table import front_table
from tests.report.sample_runs import run
from tests.report.test_chapters import pair
from tests.report.test_quick_wins import measured

ROOT = Path("/project")


def shown(name, path="chapters/ch01/a_b.py"):
    return replace(pair(name), lesson="Do it once.", path=ROOT / path)


def rows(pairs, *made):
    table = chapter_table(pairs, [run(*made)])
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in front_table(pairs, [table], ROOT).splitlines()
    ]


def test_a_row_says_what_was_done_the_result_and_where_the_pair_is():
    head, _, row = rows([shown("ch01:a_b")], measured("ch01:a_b", ratio=2.0))
    found = dict(zip(head, row, strict=True))
    assert found["what was done"] == "Do it once." and found["result"].startswith("faster 2.00x [")
    assert found["pair"] == r"[ch01:a\_b](chapters/ch01/a_b.py)"


def test_a_pair_that_is_not_measured_and_one_of_an_older_source_have_no_row():
    older = measured("ch01:old").model_copy(update={"code_sha256": "d" * 64})
    assert len(rows([shown("ch01:none"), shown("ch01:old")], older)) == 2


def test_words_in_brackets_behind_a_verdict_are_left_to_the_page_of_the_chapter():
    table = chapter_table([shown("ch01:a")], [run(measured("ch01:a"))])
    text = front_table(
        [shown("ch01:a")], [table.replace("| faster |", "| faster (machine limits not checked) |")], ROOT
    )
    assert "| faster 2.00x" in text and "limits" not in text
