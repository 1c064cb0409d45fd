"""A cached function that computes nearly every call is marked if some arguments come again, or it is too small."""

import sys
from functools import cache, lru_cache

from perfproof.profile.children.cache_misses import MISSES, TOO_SMALL, CacheMisses

CALLS = 400


def looked(call, arguments):
    """The marks of all calls, each of which is looked at from inside."""
    look.misses, look.marks = CacheMisses(), []
    for one in arguments:
        call(*one)
    return look.marks


def look():
    look.marks += look.misses.mark([sys._getframe(2), sys._getframe(1)])


@cache
def with_position(word, position):
    look()
    return word, position


@lru_cache(maxsize=8)
def with_few_places(word):
    look()
    return word


class Tokenizer:
    def __init__(self):
        self.encode = cache(self._encode)

    def _encode(self, word, position):
        look()
        return word, position

    @cache  # noqa: B019
    def encode_method(self, word, position):
        look()
        return word, position


def words(distinct):
    return ((f"word{number % distinct}", number) for number in range(CALLS))


def test_an_argument_that_is_new_in_every_call_beside_one_that_comes_again_is_told():
    tokenizer = Tokenizer()
    for call, name in ((with_position, "with_position"), (tokenizer.encode, "_encode")):
        assert looked(call, words(20))[-1] == f"{MISSES}{name}"
    assert looked(tokenizer.encode_method, words(20))[-1] == f"{MISSES}encode_method"


def test_a_cache_that_is_gone_through_in_turns_and_too_small_is_told():
    assert (
        looked(with_few_places, ((f"word{number % 20}",) for number in range(CALLS)))[-1]
        == f"{TOO_SMALL}with_few_places"
    )


def test_a_cache_with_hits_and_one_whose_arguments_never_come_again_are_left_alone():
    with_position.cache_clear()
    assert looked(with_position, words(CALLS)) == []
    hits = ((f"word{number % 20}", number % 20) for number in range(CALLS))
    with_position.cache_clear()
    assert looked(with_position, hits) == []


@lru_cache(maxsize=8)
def long_call(word):
    for _ in range(5):
        look()
    return word


class Cell:
    @lru_cache(maxsize=8)  # noqa: B019
    def encode(self, word):
        look()
        return word


def test_long_calls_that_are_looked_at_often_are_not_calls_that_come_again():
    assert looked(long_call, ((f"word{number}",) for number in range(CALLS))) == []


def test_the_same_arguments_on_other_objects_do_not_come_again():
    calls = ((Cell(), f"word{number % 20}") for number in range(CALLS))
    assert looked(lambda cell, word: cell.encode(word), calls) == []


def test_a_cache_that_the_program_clears_is_not_called_too_small():
    with_position.cache_clear()
    calls = ((f"word{number % 20}", number % 20) for number in range(CALLS))
    marks = looked(lambda *given: (with_position(*given), with_position.cache_clear()), calls)
    assert not any(mark.startswith(TOO_SMALL) for mark in marks)


def test_a_flag_beside_an_argument_that_never_comes_again_says_nothing():
    with_position.cache_clear()
    assert looked(with_position, (("," if number % 2 else ".", number) for number in range(CALLS))) == []


def test_a_function_without_a_cache_is_left_alone():
    def plain(word, position):
        look()
        return word, position

    assert looked(plain, words(20)) == []
