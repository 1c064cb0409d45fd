"""Do not stem a word twice."""

import functools
import random
import re
import numpy as np

workload = workload_cpu = dict(n=2000)
smoke = dict(n=97)
_R = random.Random(3)
_WORDS = [
    "".join(_R.choice("bcdfglmnprst") + _R.choice("aeiou") for _ in range(_R.randint(2, 4)))
    + _R.choice(["ing", "ed", "ness", "es", "ly", ""])
    for _ in range(900)
]


def inputs(n):
    return ([_WORDS[i] for i in np.random.randint(0, len(_WORDS), n)],)


def stem(word):
    word = re.sub(r"(ing|ed|ly)$", "", word)
    word = re.sub(r"ness$", "", word)
    word = re.sub(r"([^aeiou])es$", r"\1", word)
    return re.sub(r"([bcdfglmnprst])\1$", r"\1", word)


_stem = functools.lru_cache(maxsize=None)(stem)


def baseline(words):
    return [stem(w) for w in words]


def optimized(words):
    return [_stem(w) for w in words]
