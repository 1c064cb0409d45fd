import random
import re

TAGS = re.compile(r"^(\w+\s?)*:$")


def is_heading(line):
    return TAGS.match(line) is not None


def corpus(lines):
    words = ["alpha", "beta", "gamma", "delta"]
    for n in range(lines):
        text = " ".join(random.choice(words) for _ in range(5))
        yield text + (":" if n % 3 else ".")


random.seed(5)
headings = body = 0
for line in corpus(45):
    if is_heading(line):
        headings += 1
    else:
        body += 1
print(headings, body)
