"""Stem every different word of a text once."""

import random
import re
import numpy as np

workload = workload_cpu = dict(n=2000)
smoke = dict(n=97)


def inputs(n):
    r = random.Random(int(np.random.randint(2**31)))
    words = [
        "".join(r.choice("bcdfglmnprst") + r.choice("aeiou") for _ in range(r.randint(2, 4)))
        + r.choice(["ing", "ed", "ness", "es", "ly", ""])
        for _ in range(n // 6 + 1)
    ]
    return ([r.choice(words) for _ in range(n)],)


def stem(word):
    word = re.sub(r"(ing|ed|ly)$", "", word)
    word = re.sub(r"ness$", "", word)
    word = re.sub(r"([^aeiou])es$", r"\1", word)
    return re.sub(r"([bcdfglmnprst])\1$", r"\1", word)


def baseline(words):
    return [stem(w) for w in words]


def optimized(words):
    known = {w: stem(w) for w in set(words)}
    return [known[w] for w in words]
