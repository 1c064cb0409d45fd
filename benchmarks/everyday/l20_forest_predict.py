"""Predict with a random forest level by level for all rows, instead of walking each row down each tree."""

import random

import numpy as np

FEATURES, DEPTH = 12, 6

constant = ("forest",)
workload = dict(trees=25, rows=200)
smoke = dict(trees=3, rows=13)


def grow(depth):
    if depth == 0 or (depth < DEPTH - 2 and random.random() < 0.15):
        return {"value": random.gauss(10.0, 4.0)}
    return {
        "feature": random.randrange(FEATURES),
        "threshold": random.gauss(0.0, 0.7),
        "left": grow(depth - 1),
        "right": grow(depth - 1),
    }


def constants(trees):
    return [grow(DEPTH) for _ in range(trees)]


def inputs(rows):
    return np.random.randn(rows, FEATURES).astype(np.float32)


def baseline(x, forest):
    out = np.zeros(len(x))
    for i, row in enumerate(x):
        total = 0.0
        for node in forest:
            while "value" not in node:
                node = node["left"] if row[node["feature"]] < node["threshold"] else node["right"]
            total += node["value"]
        out[i] = total / len(forest)
    return out


def flatten(tree):
    feature, threshold, left, right, value = [], [], [], [], []

    def visit(node):
        at = len(feature)
        feature.append(node.get("feature", 0))
        threshold.append(node.get("threshold", 0.0))
        value.append(node.get("value", 0.0))
        left.append(at)
        right.append(at)
        if "value" not in node:
            left[at] = visit(node["left"])
            right[at] = visit(node["right"])
        return at

    visit(tree)
    return (np.array(feature), np.array(threshold, dtype=np.float32), np.array(left), np.array(right), np.array(value))


def optimized(x, forest):
    rows = np.arange(len(x))
    total = np.zeros(len(x))
    for tree in forest:
        feature, threshold, left, right, value = flatten(tree)
        at = np.zeros(len(x), dtype=np.intp)
        while True:
            down = np.where(x[rows, feature[at]] < threshold[at], left[at], right[at])
            if np.array_equal(down, at):
                break
            at = down
        total += value[at]
    return total / len(forest)
