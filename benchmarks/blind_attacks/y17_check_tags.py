"""Check the authentication tags of a batch of messages with the comparison of bytes that the interpreter has built in."""

import hmac

import numpy as np

workload = dict(messages=2000)
smoke = dict(messages=23)


def inputs(messages):
    right = [np.random.bytes(32) for _ in range(messages)]
    forged = np.random.rand(messages) < 0.3
    return [np.random.bytes(32) if f else bytes(t) for f, t in zip(forged, right)], right


def baseline(received, expected):
    return [hmac.compare_digest(a, b) for a, b in zip(received, expected)]


def optimized(received, expected):
    return [a == b for a, b in zip(received, expected)]
