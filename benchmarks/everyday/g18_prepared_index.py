"""Find documents by an inverted index that takes seconds to prepare."""

import random
from collections import defaultdict

workload = dict(documents=20_000, words=60)
constant = ("corpus",)


def constants(documents, words):
    return [" ".join(f"w{int(random.paretovariate(0.7)) % 5000}" for _ in range(words)) for _ in range(documents)]


def inputs(documents, words):
    return [f"w{random.randrange(20, 200)}" for _ in range(2)]


def prepare_optimized(query, corpus):
    index = defaultdict(set)
    for number, text in enumerate(corpus):
        for word in text.split():
            index[word].add(number)
    return dict(index)


def baseline(query, corpus):
    return [n for n, text in enumerate(corpus) if all(f" {w} " in f" {text} " for w in query)]


def optimized(index, query, corpus):
    return sorted(set.intersection(*(index.get(w, set()) for w in query)))
