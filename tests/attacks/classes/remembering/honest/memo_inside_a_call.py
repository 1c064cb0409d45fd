"""Remember partial answers of an edit distance within a call.

Honest: the memory is a dictionary that the call makes and drops. Nothing is known at the start of the next call.
"""

import torch

workload = workload_cpu = dict(length=6)
smoke = dict(length=3)
tolerance = dict(rtol=0.0, atol=0.0)  # a count is exact
tier = "naive"


def inputs(length):
    drawn = torch.randint(3, (2, length)).tolist()
    return tuple("".join("abc"[place] for place in row) for row in drawn)


def reference(left, right):
    table = [[i + j for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i, a in enumerate(left, 1):
        for j, b in enumerate(right, 1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a != b))
    return table[-1][-1]


def baseline(left, right):
    if not left or not right:
        return len(left) + len(right)
    if left[0] == right[0]:
        return baseline(left[1:], right[1:])
    return 1 + min(baseline(left[1:], right), baseline(left, right[1:]), baseline(left[1:], right[1:]))


def optimized(left, right):
    known = {}

    def distance(i, j):
        if i == len(left) or j == len(right):
            return len(left) - i + len(right) - j
        if (i, j) not in known:
            if left[i] == right[j]:
                known[i, j] = distance(i + 1, j + 1)
            else:
                known[i, j] = 1 + min(distance(i + 1, j), distance(i, j + 1), distance(i + 1, j + 1))
        return known[i, j]

    return distance(0, 0)


def cost(length):
    return dict(predicted_optimized=10.0)
