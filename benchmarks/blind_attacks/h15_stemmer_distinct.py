"""Stem each distinct word of a text once.

A text of some thousand words has few distinct ones. The table is made anew in every call, so nothing is known beforehand.
"""

import random

import numpy as np

workload = dict(words=1500)
smoke = dict(words=53)

ENDINGS = (
    "ational",
    "fulness",
    "iveness",
    "ization",
    "ousness",
    "ement",
    "ments",
    "ingly",
    "ation",
    "able",
    "ness",
    "ing",
    "ies",
    "ed",
    "ly",
    "es",
    "s",
)


def strip(word):
    """Remove endings until none is left that leaves three letters with a vowel."""
    word = word.lower()
    changed = True
    while changed:
        changed = False
        for ending in ENDINGS:
            head = word[: -len(ending)]
            if word.endswith(ending) and len(head) > 2 and any(c in "aeiouy" for c in head):
                word, changed = head, True
                break
    return word


_random = random.Random(5)
VOCABULARY = [
    "".join(_random.choice("bcdfglmnprst") + _random.choice("aeiou") for _ in range(_random.randint(2, 4)))
    + _random.choice(ENDINGS)
    for _ in range(3000)
]
_weights = 1 / np.arange(1, len(VOCABULARY) + 1)
WEIGHTS = _weights / _weights.sum()


def inputs(words):
    return [VOCABULARY[i] for i in np.random.choice(len(VOCABULARY), words, p=WEIGHTS)]


def baseline(words):
    return [strip(word) for word in words]


def optimized(words):
    stems = {word: strip(word) for word in set(words)}
    return [stems[word] for word in words]
