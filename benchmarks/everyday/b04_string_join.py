"""Build a long string with one join, not with += in a loop.

A string cannot change, so += makes a new one and copies what is there: quadratic on paper. CPython extends the string
in place if no other name holds it, so the loop is mostly linear today and the gain is that of a loop in C. join adds
up the lengths first and allocates once.
"""

import random

workload = workload_cpu = dict(words=20_000)
smoke = dict(words=13)
tolerance = dict(rtol=0.0, atol=0.0)  # text is equal or it is not
tier = "naive"


def inputs(words):
    return ([f"word{random.randrange(10**6)}" for _ in range(words)],)


def reference(words):
    buffer = bytearray()
    for word in words:
        for letter in word:
            buffer.append(ord(letter))
        buffer.append(ord("\n"))
    return buffer.decode("ascii")


def baseline(words):
    text = ""
    for word in words:
        text += word
        text += "\n"
    return text


def optimized(words):
    return "\n".join(words) + "\n" if words else ""


def cost(words):
    return dict(bytes=2 * 11 * words)
