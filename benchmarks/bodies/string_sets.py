"""Look words up in a set of strings; both sides are the same code with a set of its own.

Where a set's strings lie decides how fast it is looked up, so two equal sets differ from process to process: forks of
one interpreter, judged as if they were independent, call that a difference.
"""

import random

import numpy

workload = dict(words=1_000, queries=200)
workload_cpu = dict(words=1_000, queries=200)
smoke = dict(words=1_000, queries=33)
tolerance = dict(rtol=0.0, atol=0.0)  # a word is in the set or it is not
tier = "idiomatic"

SPOKEN = [f"word-{number}" for number in range(2_000)]  # what is asked for: other objects than those in the sets


def inputs(words, queries):
    return words, random.choices(SPOKEN, k=queries)


def reference(words, queries):
    return numpy.array([int(query.removeprefix("word-")) < words for query in queries])


def prepare_baseline(words, queries):
    return {f"word-{number}" for number in range(words)}


def baseline(table, words, queries):
    return numpy.array([query in table for query in queries])


def prepare_optimized(words, queries):
    return {f"word-{number}" for number in range(words)}


def optimized(table, words, queries):
    return numpy.array([query in table for query in queries])


def cost(words, queries):
    return dict(predicted_optimized=1.0)
