"""Stem each distinct word once.

Honest: the variant calls the baseline on the distinct words of the call. The reference calls neither.
"""

import re

import torch

ENDINGS = "ing", "ed", "s"

workload = workload_cpu = dict(words=400)
smoke = dict(words=7)
tolerance = dict(rtol=0.0, atol=0.0)  # text is exact
tier = "idiomatic"


def inputs(words):
    drawn = torch.randint(40, (words, 2)).tolist()
    return ([f"word{chr(97 + stem % 10)}" + ("", *ENDINGS)[ending % 4] for stem, ending in drawn],)


def reference(words):
    stems = []
    for word in words:
        ending = next((ending for ending in ENDINGS if word.endswith(ending)), "")
        stems.append(word[: len(word) - len(ending)])
    return stems


def baseline(words):
    return [re.sub("(ing|ed|s)$", "", word) for word in words]


def optimized(words):
    distinct = list(dict.fromkeys(words))
    stems = dict(zip(distinct, baseline(distinct), strict=True))
    return [stems[word] for word in words]


def cost(words):
    return dict(predicted_optimized=5.0)
