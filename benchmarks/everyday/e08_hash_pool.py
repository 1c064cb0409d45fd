"""Hash passwords in two processes instead of one (0.5 s a call)."""

import hashlib
import os
from concurrent.futures import ProcessPoolExecutor


def digest(p):
    return hashlib.pbkdf2_hmac("sha256", p, b"salt", 60_000).hex()


def inputs():
    return [os.urandom(12) for _ in range(16)]


def baseline(passwords):
    return [digest(p) for p in passwords]


def optimized(passwords):
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(digest, passwords))
