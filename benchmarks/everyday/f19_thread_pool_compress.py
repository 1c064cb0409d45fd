import random
import zlib
from concurrent.futures import ThreadPoolExecutor

workload = dict(chunks=8, size=150_000)


def inputs(chunks, size):
    words = [random.randbytes(random.randint(2, 9)) for _ in range(500)]
    parts = []
    for _ in range(chunks):
        parts.append(b" ".join(random.choices(words, k=size // 6))[:size])
    return parts


def baseline(parts):
    return [zlib.compress(part, 6) for part in parts]


def optimized(parts):
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda part: zlib.compress(part, 6), parts))
