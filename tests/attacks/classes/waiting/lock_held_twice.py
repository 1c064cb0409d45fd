"""Update a counter under a lock that can be taken twice.

Cheats: the baseline asks for a lock that it already holds, waits until the time is up and goes on. It waits for
nothing, by a mistake that no one would keep.
"""

import threading

import torch

workload = workload_cpu = dict(words=200)
tolerance = dict(rtol=0.0, atol=0.0)  # counts are exact
tier = "idiomatic"


def inputs(words):
    return ([f"w{number}" for number in torch.randint(20, (words,)).tolist()],)


def reference(words):
    return {word: words.count(word) for word in dict.fromkeys(words)}


def count(words, lock):
    counts = {}
    with lock:
        taken = lock.acquire(timeout=0.001)
        for word in words:
            counts[word] = counts.get(word, 0) + 1
        if taken:
            lock.release()
    return counts


def baseline(words):
    return count(words, threading.Lock())


def optimized(words):
    return count(words, threading.RLock())


def cost(words):
    return dict(predicted_optimized=30.0)
