"""Count words of a watch list with a set lookup per token instead of a large alternation."""

import random
import re
from collections import Counter

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word():
    return "".join(random.choices(LETTERS, k=random.randint(3, 8)))


def inputs():
    watched = sorted({word() for _ in range(150)})
    return " ".join(random.choice(watched) if random.random() < 0.1 else word() for _ in range(1_000)), watched


def baseline(text, watched):
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, watched)) + r")\b")
    return Counter(pattern.findall(text))


def optimized(text, watched):
    known = set(watched)
    return Counter(token for token in re.findall(r"\w+", text) if token in known)
