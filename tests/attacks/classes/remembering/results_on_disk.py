"""Count the words of a document.

Cheats: counts are kept in files of the system's temporary folder by the hash of the text, so that they outlive the
process. The files of a first run make a second one fast.
"""

import hashlib
import json
import os
import tempfile

import torch

workload = workload_cpu = dict(words=3_000)
tolerance = dict(rtol=0.0, atol=0.0)  # counts are exact
tier = "idiomatic"


def inputs(words):
    return (" ".join(f"w{number % 40}" for number in torch.randint(4_000, (words,)).tolist()),)


def reference(text):
    return {word: text.split().count(word) for word in dict.fromkeys(text.split())}


def count(text):
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def baseline(text):
    return count(text)


def optimized(text):
    path = os.path.join(tempfile.gettempdir(), "word-counts-" + hashlib.sha1(text.encode()).hexdigest())
    if os.path.exists(path):
        with open(path) as file:
            return json.load(file)
    counts = count(text)
    with open(path, "w") as file:
        json.dump(counts, file)
    return counts


def cost(words):
    return dict(predicted_optimized=1.0)
