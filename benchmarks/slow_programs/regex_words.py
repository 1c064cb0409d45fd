"""Keep the lines of a support log that are made of words only."""

import random
import re

WORDS_ONLY = re.compile(r"^(?:\w+[ ,]?)*\.$")
random.seed(3)


def lines(count):
    for _ in range(count):
        words = ["".join(random.choices("abcdefgh", k=random.randint(2, 4))) for _ in range(6)]
        yield " ".join(words)[:20] + random.choice(".!?")


def is_clean(line):
    return WORDS_ONLY.match(line) is not None


kept = [line for line in lines(1_600) if is_clean(line)]
print(len(kept), "lines kept")
