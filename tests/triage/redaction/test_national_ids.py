"""A number of a person is told by its form and its checksum; other numbers of the same length stay."""

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.national_ids import find_numbers


@pytest.mark.parametrize(
    "number",
    [
        "RSSMRA80A01H501U", "111.444.777-35", "12345678Z", "X1234567L", "1 85 05 78 006 084 91", "11010519491231002X",
        "756.9217.0769.85", "811218-9876", "131052-308T", "900101-1234567", "2345 6789 0124", "12.345.678-5",
        "AB 12 34 56 C",
        "0431 / 550 91 27", "0532 418 77 06", "(21) 98844-3107", "06 12 34 56 78", "020 7946 0713",
    ],
)  # fmt: skip
def test_a_number_of_a_person_needs_no_label(number):
    text = f"see {number}, please"
    assert [text[start:end] for start, end, _ in find_numbers(text)] == [number]


@pytest.mark.parametrize(
    "text",
    [
        "see 111.444.777-36",  # checksums that are wrong
        "see 12345678A",
        "see 2345 6789 0125",
        "ring 0: 1 2 3 4 5 6 7 8",
        "throughput 1024 2048 4096 8192",
        "2024-10-11 12:00:01 0000 1234",
        "Boston, MA 02111-1307",
        "took 0900 1234 5678 ms",
        "version 12.345.678-rc1",
    ],
)
def test_other_numbers_stay(text):
    assert not list(find_numbers(text))


def test_digits_in_a_line_about_a_call_are_a_telephone_number():
    assert "98204 51177" not in Redactor(b"key").text("mera number note karo 98204 51177")
    assert Redactor(b"key").text("rows 98204 51177 were read") == "rows 98204 51177 were read"
