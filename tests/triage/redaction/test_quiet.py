"""A line that was found harmless lets through only lines in which no digit decides."""

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.quiet import Hints, shape_of

SHAPE = shape_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("step 12 loss 0.25", "step 98 loss 0.71"),
        ("2026-11-16 20:46:36,123 INFO step 5", "2025-01-02 03:04:05,678 INFO step 6"),
        ("[2026-11-16T20:46:36.123] step 5", "[2025-01-02T03:04:05.678] step 6"),
        ('File "/usr/lib/python3/site-packages/a.py", line 12', 'File "/usr/lib/python3/site-packages/a.py", line 99'),
    ],
)
def test_lines_that_differ_in_harmless_digits_have_one_shape(one, other):
    assert SHAPE(one) == SHAPE(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("paid with 1111 1111 1111 1111", "paid with 4012 8888 8888 1881"),
        ("id 4f1c9a7b2e6d8035aa", "id 9f1c9a7b2e6d8035ab"),
        ("number 1234567", "number 7654321"),
        ("2026-11-16 20:46:36 step", "2026-11-16T20:46:36 step"),
        ("x2026-11-16 20:46:36 step", "x2025-11-16 20:46:36 step"),
        ("step 1", "step 12"),
    ],
)
def test_digits_that_may_decide_make_another_shape(one, other):
    assert SHAPE(one) != SHAPE(other)


def test_a_card_is_found_behind_a_thousand_harmless_lines_of_its_form():
    harmless = [f"2026-11-16 20:46:{n % 60:02d},000 INFO paid with 1111 1111 1111 {n:04d} ok" for n in range(200)]
    planted = "2026-11-16 20:47:00,000 INFO paid with 4012 8888 8888 1881 ok"
    done = Redactor(b"k" * 32).text("\n".join([*harmless, planted]))
    assert "4012 8888" not in done and done.splitlines()[0] == harmless[0]


def test_a_line_gets_the_rules_whose_hints_it_holds():
    hints = Hints([("user", "owner"), ("@",), ("",)])
    assert hints.rules_for(["step 3\n", "OWNER x\n", "a@b user\n", "\n"]) == [0b100, 0b101, 0b111, 0b100]
