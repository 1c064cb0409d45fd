import random


def inputs():
    query = random.getrandbits(64)
    fingerprints = [random.getrandbits(64) for _ in range(3000)]
    return fingerprints, query


def baseline(fingerprints, query):
    return [bin(f ^ query).count("1") for f in fingerprints]


def optimized(fingerprints, query):
    return [(f ^ query).bit_count() for f in fingerprints]
