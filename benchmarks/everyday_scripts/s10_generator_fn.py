"""Chunk a long document with a generator instead of a list, from a script."""

import random
import perfproof


def chunks_list(tokens, size=128, overlap=16):
    out = []
    i = 0
    while i < len(tokens):
        out.append(tokens[i : i + size])
        i += size - overlap
    return iter(out)


def chunks_gen(tokens, size=128, overlap=16):
    for i in range(0, len(tokens), size - overlap):
        yield tokens[i : i + size]


answer = perfproof.compare(
    lambda t: list(chunks_list(t)),
    lambda t: list(chunks_gen(t)),
    lambda: [random.randrange(50000) for _ in range(8000)],
    effort="quick",
)
print(answer)
print(answer.status)
