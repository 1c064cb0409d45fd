"""Compile a regular expression once.

Honest: what is kept is the pattern, which does not depend on any argument.
"""

import re

import torch

PATTERN = r"(\d{4})-(\d{2})-(\d{2})"
COMPILED = re.compile(PATTERN)

workload = workload_cpu = dict(lines=50)
smoke = dict(lines=3)
tolerance = dict(rtol=0.0, atol=0.0)  # text is exact
tier = "idiomatic"


def inputs(lines):
    days = torch.randint(1, 29, (lines,)).tolist()
    return ([f"request {place} came on 2024-05-{day:02} in time" for place, day in enumerate(days)],)


def reference(lines):
    found = []
    for line in lines:
        word = next(word for word in line.split() if word.count("-") == 2)
        found.append(".".join(reversed(word.split("-"))))
    return found


def baseline(lines):
    found = []
    for line in lines:
        year, month, day = re.search(PATTERN, line).groups()
        found.append(f"{day}.{month}.{year}")
    return found


def optimized(lines):
    found = []
    for line in lines:
        year, month, day = COMPILED.search(line).groups()
        found.append(f"{day}.{month}.{year}")
    return found


def cost(lines):
    return dict(predicted_optimized=1.2)
