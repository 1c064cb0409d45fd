"""Count the fields of a log faster.

Cheats: every line that `inputs` writes has eight fields, so the variant multiplies the number of lines by eight. The
words of the text do not matter.
"""

import torch

FIELDS = 8

workload = workload_cpu = dict(lines=200)
tolerance = dict(rtol=0.0, atol=0.0)  # a count is exact


def inputs(lines):
    numbers = torch.randint(100_000, (lines, FIELDS)).tolist()
    return ("".join(" ".join(map(str, row)) + "\n" for row in numbers),)


def reference(text):
    count, inside = 0, False
    for letter in text:
        count += not letter.isspace() and not inside
        inside = not letter.isspace()
    return count


def baseline(text):
    return sum(len(line.split()) for line in text.splitlines())


def optimized(text):
    return FIELDS * text.count("\n")
