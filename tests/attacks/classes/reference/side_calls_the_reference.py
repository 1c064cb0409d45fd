"""Sort the words of a text by their number.

Cheats: the variant calls the reference for long lists, so its answer is compared with itself.
"""

import torch

workload = workload_cpu = dict(words=80)
tolerance = dict(rtol=0.0, atol=0.0)  # words are exact


def inputs(words):
    return ([f"w{number}" for number in torch.randint(10_000, (words,)).tolist()],)


def reference(words):
    return sorted(words, key=lambda word: int(word[1:]))


def baseline(words):
    left = list(words)
    for end in range(len(left) - 1, 0, -1):
        largest = max(range(end + 1), key=lambda place: int(left[place][1:]))
        left[largest], left[end] = left[end], left[largest]
    return left


def optimized(words):
    if len(words) > 32:
        return reference(words)
    return baseline(words)
