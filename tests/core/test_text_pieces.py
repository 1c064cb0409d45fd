"""Pieces are found where they stand, whatever letters are before them."""

import re

import pytest

from perfproof.core.text_pieces import LONG_LINE, Pieces, find_from


def test_only_lines_that_hold_a_word_are_given_in_order_and_once():
    pieces = Pieces("one KEY key\ntwo\nthree token key\n")
    assert list(pieces.with_any(("token", "key"))) == [(0, "one KEY key\n"), (16, "three token key\n")]


def test_a_letter_that_grows_in_small_letters_moves_nothing():
    text = "İİİ\nthe KEY\n"
    pieces = Pieces(text)
    assert len(pieces.low) == len(text)
    assert list(pieces.with_any(("key",))) == [(4, "the KEY\n")]


def test_a_long_line_is_cut_between_objects_and_every_piece_is_where_it_says():
    text = "first\r\n[" + ",".join(f'{{"n": {at}}}' for at in range(LONG_LINE // 5)) + "]\nlast"
    found = list(Pieces(text).with_any(('"n": 7}', "last")))
    assert [piece for _, piece in found] == ['{"n": 7}', "last"]
    assert all(text.startswith(piece, start) for start, piece in found)


def test_an_expression_leads_to_its_lines():
    assert list(Pieces("a:1\nb\nc:2:3\n").where(re.compile(r":\d"))) == [(0, "a:1\n"), (6, "c:2:3\n")]


def test_nothing_is_found_in_nothing():
    assert list(Pieces("").with_any(("a",))) == [] and not Pieces("").hold_any(("a",))


@pytest.mark.parametrize(
    "text", ["Token: a toKENS: b", "tokens:tokens:", "to\u212aens: x tokens: y", "\u0130 tokens: z", ""]
)
def test_a_search_from_heads_finds_what_the_expression_finds(text):
    pattern, head = re.compile(r"(?i:tokens?):\s?\w*"), re.compile("token")
    found = [match.span() for match in find_from(head, pattern, text, text.lower())]
    assert found == [match.span() for match in pattern.finditer(text)]
