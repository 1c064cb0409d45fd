"""Parse numbers with one call instead of one per line.

Honest: reference, baseline and variant all use `json.loads`, because it is the library's parser and not a side.
"""

import json

import torch

workload = workload_cpu = dict(lines=100)
smoke = dict(lines=3)
tolerance = dict(rtol=0.0, atol=0.0)  # all parse the same digits
tier = "idiomatic"


def inputs(lines):
    return ("\n".join(json.dumps(row) for row in torch.randint(1_000_000, (lines, 4)).tolist()),)


def reference(text):
    rows = []
    for line in text.split("\n"):
        rows.append([int(json.loads(number)) for number in line.strip("[]").split(",")])
    return rows


def baseline(text):
    return [json.loads(line) for line in text.split("\n")]


def optimized(text):
    return json.loads("[" + text.replace("\n", ",") + "]")


def cost(lines):
    return dict(predicted_optimized=3.0)
