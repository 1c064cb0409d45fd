"""A table that grows with the values of earlier calls is named; memory by shape and tables of one call are not."""

import random
from dataclasses import replace

import pytest

from perfproof.worker.verify import kept_answers
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(names=("words",), constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")
DRAWN, OTHER = ([f"word {at}" for at in range(9)],), ([f"word {at}" for at in range(5, 20)],)
COMMON = """
import functools
from collections import OrderedDict

def work(word):
    return word[::-1]

def baseline(words):
    return [work(word) for word in words]
"""
REMEMBER = {
    "a cached function": """
cached = functools.lru_cache(maxsize=None)(work)

def optimized(words):
    return [cached(word) for word in words]
""",
    "a cache that is full after the first call": """
cached = functools.lru_cache(maxsize=4)(work)

def optimized(words):
    return [cached(word) for word in words]
""",
    "a dict of the file": """
SEEN = {}

def optimized(words):
    return [SEEN[word] if word in SEEN else SEEN.setdefault(word, work(word)) for word in words]
""",
    "a default": """
def optimized(words, _seen={}):
    return [_seen[word] if word in _seen else _seen.setdefault(word, work(word)) for word in words]
""",
    "an object of the file": """
class Encoder:
    __slots__ = ("cache",)

    def __init__(self):
        self.cache = OrderedDict()

    def encode(self, word):
        if word not in self.cache:
            self.cache[word] = work(word)
            if len(self.cache) > 16:
                self.cache.popitem(last=False)
        return self.cache[word]

encoder = Encoder()

def optimized(words):
    return [encoder.encode(word) for word in words]
""",
    "a class": """
class Known:
    words = {}

def optimized(words):
    return [Known.words.setdefault(word, work(word)) for word in words]
""",
    "a closure": """
def made():
    seen = {}
    return lambda words: [seen[word] if word in seen else seen.setdefault(word, work(word)) for word in words]

optimized = made()
""",
    "a method with a cache": """
class Encoder:
    @functools.lru_cache(maxsize=None)
    def encode(self, word):
        return work(word)

encoder = Encoder()

def optimized(words):
    return [encoder.encode(word) for word in words]
""",
}
HONEST = {
    "a table of one call": """
def optimized(words):
    seen = {}
    return [seen[word] if word in seen else seen.setdefault(word, work(word)) for word in words]
""",
    "a cached function that the call makes": """
def optimized(words):
    cached = functools.lru_cache(maxsize=None)(work)
    return [cached(word) for word in words]
""",
    "memory for one kind of argument": """
SPACE = {}

def optimized(words):
    space = SPACE.setdefault(type(words), [None] * 100)
    for at, word in enumerate(words):
        space[at] = work(word)
    return space[: len(words)]
""",
    "a table that is made once": """
@functools.lru_cache(maxsize=None)
def table(kind):
    return {letter: letter for letter in "word"}

def optimized(words):
    return [work(word) for word in words if table("all")]
""",
    "a count": """
calls = 0

def optimized(words):
    global calls
    calls += 1
    return [work(word) for word in words]
""",
    "a cache that is emptied": """
cached = functools.lru_cache(maxsize=None)(work)

def optimized(words):
    cached.cache_clear()
    return [cached(word) for word in words]
""",
}


def said(text, baseline="baseline", prepared=()):
    own, usual = ({"__name__": f"a_pair_{side}"} for side in "ab")
    exec(COMMON + text, own)
    exec(COMMON + text, usual)
    sides = {
        "baseline": lambda arguments: usual[baseline](*arguments),
        "optimized": lambda arguments: own["optimized"](*prepared, *arguments),
    }
    roots = {"baseline": [usual, usual[baseline]], "optimized": [own, own["optimized"], *prepared]}
    return kept_answers.check(CONTRACT, sides, roots, DRAWN, OTHER)


@pytest.mark.parametrize("text", REMEMBER.values(), ids=REMEMBER)
def test_entries_for_other_values_are_named(text):
    (line,) = said(text)
    assert line.startswith("optimized keeps what it worked out for later calls, in ")


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_what_no_later_call_gains_from_is_not(text):
    assert said(text) == []


def test_what_the_baseline_keeps_too_is_no_news():
    assert said(REMEMBER["a dict of the file"], baseline="optimized") == []


def test_a_table_that_was_prepared_is_looked_at():
    text = """
def optimized(seen, words):
    return [seen.setdefault(word, work(word)) for word in words]
"""
    (line,) = said(text, prepared=({},))
    assert "in what was prepared (9 entries after a call, 20 after one with other values)" in line


def test_the_line_says_where_and_how_many():
    (line,) = said(REMEMBER["a cached function"])
    assert "in `cached` (9 entries after a call, 20 after one with other values)" in line


def test_an_answer_that_depends_on_the_call_before_is_named():
    last = [1.0]

    def newton(x, start):
        for _ in range(6):
            start = 0.5 * (start + x / start)
        return start

    def optimized(own):
        last[0] = newton(own[0], last[0])
        return last[0]

    def said_of(baseline, variant, **declared):
        contract = replace(CONTRACT, names=("x",), **declared)
        sides = {"baseline": baseline, "optimized": variant}
        return kept_answers.check(contract, sides, {name: [] for name in sides}, (700.0,), (3.0,))

    (line,) = said_of(lambda own: newton(own[0], 1.0), optimized)
    assert line == "optimized gives other answers to the same values after a call on other ones: it starts from those"
    assert said_of(optimized, optimized) == [] == said_of(lambda own: newton(own[0], 1.0), lambda own: own[0] ** 0.5)
    assert said_of(lambda own: newton(own[0], 1.0), lambda own: random.random()) == []
    assert said_of(lambda own: newton(own[0], 1.0), optimized, distribution=True) == []
