"""Parse long JSON text with orjson, not with the json of the standard library.

Both read every character once and build the same dictionaries, lists, strings and numbers. json scans in C, but looks
at the text character by character; orjson scans UTF-8 with vector instructions, parses numbers with a faster algorithm
and keeps short keys in a cache. Making the Python objects costs both the same, so expect a factor of 2 to 4, not more.
"""

import ast
import json
import random

import orjson

workload = workload_cpu = dict(records=2_000)  # about 200 KB of text
smoke = dict(records=7)
tolerance = dict(rtol=0.0, atol=0.0)  # both parsers round decimal text to the nearest double
tier = "idiomatic"
needs = dict(packages=["orjson"])


def inputs(records):
    rows = [
        dict(id=i, score=random.gauss(0.0, 1.0), name=f"u{random.randrange(10**6)}", tags=[random.randrange(9), "new"])
        for i in range(records)
    ]
    return (json.dumps(dict(rows=rows, total=random.randrange(10**9))),)


def reference(text):
    return ast.literal_eval(text)  # numbers, plain strings, lists and dicts are written alike in Python


def baseline(text):
    return json.loads(text)


def optimized(text):
    return orjson.loads(text)


def cost(records):
    return dict(bytes=90 * records, samples=records, predicted_optimized=2.5)
