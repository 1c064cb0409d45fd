"""Clean texts with a translation table instead of a regular expression, in a project."""

import random
from textlab.pipes.clean import clean_fast, clean_slow

WORDS = "The cat, of house! and a dog; runs (fast) over hills. Nothing-else matters?".split()


def inputs():
    return [" ".join(random.choices(WORDS, k=30)) for _ in range(60)]


baseline = clean_slow
optimized = clean_fast
