"""The pages of the chapters: a result that is far from its prediction is explained below the table."""

import pytest

from perfproof.report.chapters import Line, between_marks, parse_table
from tests.chapters.loaded_pair import CHAPTERS

FAR = 1.5  # times
EXPLAINED = ("ch06", "ch07", "ch08", "ch09", "ch10", "ch11", "ch12", "ch13", "ch14", "ch18", "ch19")
PAGES = [path for path in sorted(CHAPTERS.glob("ch*/README.md")) if path.parent.name[:4] in EXPLAINED]


def ratio(cell: str) -> float | None:
    """The first figure of a cell: "6.00x [5.39, 6.68]", "3.33x bytes"; equal work is 1."""
    if cell == "the same work":
        return 1.0
    head = cell.partition("x")[0]
    return float(head) if head.replace(".", "", 1).isdigit() else None


def is_far(line: Line) -> bool:
    measured, predicted = ratio(line.measured), ratio(line.predicted)
    if measured is None or predicted is None:
        return False
    return not 1 / FAR <= measured / predicted <= FAR


def unexplained(page: str) -> set[str]:
    rows = [line for group in parse_table(between_marks(page, "page")) for line in group]
    text = page.partition("<!-- results:end -->")[2].partition("## Counters")[0]
    pairs = {line.target.partition(" ")[0].partition(":")[2].replace("\\", "") for line in rows if is_far(line)}
    return {pair for pair in pairs if f"`{pair}" not in text}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_a_result_that_is_far_from_its_prediction_is_explained(path):
    assert unexplained(path.read_text()) == set()


def test_a_page_that_leaves_one_out_is_found():
    row = "| ch06:a\\_b | naive | faster | {} [1, 9] | {} | 2 ms | 1 ms | 8 | a-machine | 2026-11-17 | 12345678 |"
    page = "<!-- results:begin -->\n{}\n<!-- results:end -->\n{}\n## Counters\n`a_b`"
    far, near = row.format("3.10x", "2.00x bytes"), row.format("2.10x", "2.00x bytes")
    assert unexplained(page.format(far, "- `c`: slower.")) == {"a_b"}
    assert unexplained(page.format(row.format("2.00x", "the same work"), "")) == {"a_b"}
    assert unexplained(page.format(far, "- `a_b`: 3.1x.")) == set()
    assert unexplained(page.format(near, "")) == set()
