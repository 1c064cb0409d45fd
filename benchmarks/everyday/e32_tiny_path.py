"""Split a file suffix with rpartition instead of os.path and pathlib."""

import random
from pathlib import PurePosixPath


def inputs():
    return f"data/shard-{random.randrange(10**6):06d}.jsonl"


def baseline(p):
    q = PurePosixPath(p)
    return q.stem, q.suffix


def optimized(p):
    name = p.rpartition("/")[2]
    stem, dot, ext = name.rpartition(".")
    return stem, dot + ext
