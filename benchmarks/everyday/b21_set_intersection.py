"""Intersect two lists through sets, not by looking for each element in a list.

`in` on a list compares one element after the other, so the loop makes up to n * m comparisons. A set finds an element
by its hash: n + m steps. At 1,000 elements each that is a million against two thousand.
"""

import random

workload = workload_cpu = dict(left=1_000, right=1_000)
smoke = dict(left=19, right=13)
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers
tier = "naive"


def inputs(left, right):
    values = range(2 * (left + right))
    return random.sample(values, left), random.sample(values, right)


def reference(left, right):
    left, right = sorted(left), sorted(right)
    common, i, j = set(), 0, 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            common.add(left[i])
        if left[i] <= right[j]:
            i += 1
        else:
            j += 1
    return common


def baseline(left, right):
    return {value for value in left if value in right}


def optimized(left, right):
    return set(left) & set(right)


def cost(left, right):
    return dict(bytes=8 * (left + right), baseline_flops=left * right, optimized_flops=left + right, flops=left + right)
