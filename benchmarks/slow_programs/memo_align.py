import random


def similarity(a, b):
    return 2.0 if a == b else -1.0


def align(left, right, i, j):
    if i == len(left) or j == len(right):
        return -0.5 * (len(left) - i + len(right) - j)
    match = similarity(left[i], right[j]) + align(left, right, i + 1, j + 1)
    skip_left = align(left, right, i + 1, j) - 0.5
    skip_right = align(left, right, i, j + 1) - 0.5
    return max(match, skip_left, skip_right)


random.seed(4)
reads = ["".join(random.choice("ACGT") for _ in range(9)) for _ in range(6)]
scores = {}
for n, first in enumerate(reads):
    for second in reads[n + 1 :]:
        scores[first, second] = align(first, second, 0, 0)
print(max(scores.values()))
