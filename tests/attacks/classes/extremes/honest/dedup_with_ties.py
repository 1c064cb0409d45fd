"""Drop repeated tokens, in the order they came, with a dictionary.

Honest: ties are the point of it, and both sides keep the first of each.
"""

import torch

workload = workload_cpu = dict(tokens=300, vocabulary=100)
smoke = dict(tokens=21, vocabulary=5)
tolerance = dict(rtol=0.0, atol=0.0)  # tokens are exact
tier = "naive"


def inputs(tokens, vocabulary):
    return ([f"token{number}" for number in torch.randint(vocabulary, (tokens,)).tolist()],)


def reference(tokens):
    return [token for place, token in enumerate(tokens) if token not in tokens[:place]]


def baseline(tokens):
    kept = []
    for token in tokens:
        if token not in kept:
            kept.append(token)
    return kept


def optimized(tokens):
    return list(dict.fromkeys(tokens))


def cost(tokens, vocabulary):
    return dict(predicted_optimized=15.0)
