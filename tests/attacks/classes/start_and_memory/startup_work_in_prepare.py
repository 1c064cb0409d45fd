"""Answer the first query of a dictionary sooner.

Cheats: the variant parses the dictionary in its set-up, which is not timed. The claim is about the time to a first
answer, and that includes parsing.
"""

import json

import torch

workload = workload_cpu = dict(entries=4_000)
constant = ("text",)
tolerance = dict(rtol=0.0, atol=0.0)  # integers are exact
tier = "idiomatic"
claim = "startup"


def inputs(entries):
    text = json.dumps({f"word{place}": place * 7 for place in range(entries)})
    return text, f"word{int(torch.randint(entries, ()))}"


def reference(text, word):
    place = text.index(f'"{word}":') + len(word) + 3
    return int(text[place:].split(",")[0].strip("} "))


def baseline(text, word):
    return json.loads(text)[word]


def prepare_optimized(text, word):
    return json.loads(text)


def optimized(entries, text, word):
    return entries[word]


def cost(entries):
    return dict(predicted_optimized=10.0)
