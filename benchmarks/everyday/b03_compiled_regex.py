"""Compile a regular expression once, not by its text at every search.

re.search does keep compiled patterns in a cache, so nothing is compiled twice. But every call makes a key of the type,
the pattern and the flags, looks it up and then calls the method. For short strings that is about as long as the search.
"""

import random
import re

PATTERN = r"id=(\d+)"
COMPILED = re.compile(PATTERN)

workload = workload_cpu = dict(lines=3_000)
smoke = dict(lines=11)
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers
tier = "idiomatic"


def inputs(lines):
    texts = []
    for _ in range(lines):
        key = random.choice(["id", "no"])
        texts.append(f"GET /item?{key}={random.randrange(10**6)}&page={random.randrange(100)}")
    return (texts,)


def reference(lines):
    found = []
    for line in lines:
        number = -1
        for start in range(len(line) - 3):
            if line[start : start + 3] == "id=" and line[start + 3].isdigit():
                end = start + 3
                while end < len(line) and line[end].isdigit():
                    end += 1
                number = int(line[start + 3 : end])
                break
        found.append(number)
    return found


def baseline(lines):
    found = []
    for line in lines:
        match = re.search(PATTERN, line)
        found.append(int(match.group(1)) if match else -1)
    return found


def optimized(lines):
    search = COMPILED.search
    found = []
    for line in lines:
        match = search(line)
        found.append(int(match.group(1)) if match else -1)
    return found


def cost(lines):
    return dict(bytes=28 * lines, samples=lines, predicted_optimized=1.5)
