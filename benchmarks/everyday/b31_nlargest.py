"""Take the few largest of a list with heapq.nlargest, not by sorting all of it.

Sorting n values takes n log2(n) comparisons: 14 for each of 20,000. nlargest keeps a heap of k and compares most values
once, with the smallest in it. It pays for k far below n; near n / 10 the sort, which is all in C, is the faster one.
"""

import heapq
import random

workload = workload_cpu = dict(count=20_000, k=10)
smoke = dict(count=53, k=4)
tolerance = dict(rtol=0.0, atol=0.0)  # values are chosen, nothing is rounded
tier = "naive"


def inputs(count, k):
    return [random.gauss(0.0, 1.0) for _ in range(count)], k


def reference(values, k):
    left, largest = list(values), []
    while left and len(largest) < k:
        largest.append(max(left))
        left.remove(largest[-1])
    return largest


def baseline(values, k):
    return sorted(values, reverse=True)[:k]


def optimized(values, k):
    return heapq.nlargest(k, values)


def cost(count, k):
    return dict(bytes=8 * count, flops=count, baseline_flops=count * count.bit_length(), optimized_flops=count)
