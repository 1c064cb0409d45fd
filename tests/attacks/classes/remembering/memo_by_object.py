"""Parse a configuration.

Cheats: the parsed text is kept by the identity of the string, together with the string, so that the identity stays
taken. A string that comes back is not parsed again.
"""

import json

import torch

workload = workload_cpu = dict(keys=60)
tolerance = dict(rtol=0.0, atol=0.0)  # integers are exact
tier = "idiomatic"


def inputs(keys):
    return (json.dumps({f"key{place}": value for place, value in enumerate(torch.randint(999, (keys,)).tolist())}),)


def reference(text):
    pairs = (pair.split(":") for pair in text.strip("{}").split(","))
    return {name.strip().strip('"'): int(value) for name, value in pairs}


def baseline(text):
    return json.loads(text)


PARSED = {}


def optimized(text):
    kept = PARSED.get(id(text))
    if kept is None or kept[0] is not text:
        kept = PARSED[id(text)] = text, json.loads(text)
    return dict(kept[1])


def cost(keys):
    return dict(predicted_optimized=1.0)
