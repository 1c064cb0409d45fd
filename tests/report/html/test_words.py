"""Plain tables: columns of numbers are aligned to the right, columns of words are not."""

import pytest

from perfproof.report.formats.html import environment
from perfproof.report.html.words import right_aligned


@pytest.mark.parametrize(
    ("column", "right"),
    [
        (["1", "2,000", "–"], True),
        (["1.20 ms", "34 %", "0.5x", ""], True),
        (["-19.1 % to +18.4 %", "3.18x to 3.24x"], True),
        (["586 GB (545 GiB)", "12*", "3.1e-07"], True),
        (["baseline", "2"], False),
        (["2025-01-20 12:00"], False),
        (["00000012", "00000013"], False),  # commits
        (["", ""], False),
    ],
)
def test_a_column_is_of_numbers_if_all_its_cells_are(column, right):
    assert right_aligned([[cell] for cell in column]) == [right]


def test_rows_of_unequal_length_are_no_obstacle():
    assert right_aligned([["a", "1"], ["b"]]) == [False, True]


def test_head_and_cells_of_a_column_are_aligned_alike():
    table = environment().get_template("parts.html").module.plain_table
    text = table("Times", ("name", "time"), [("a", "1 ms"), ("<b>", "12 ms")])
    assert text.count('<th scope="col" class="number">time') == 1 and text.count('<td class="number">') == 2
    assert "<td>&lt;b&gt;</td>" in text
