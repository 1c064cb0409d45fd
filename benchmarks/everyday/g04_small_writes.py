"""Write a log as one block instead of line by line without buffering."""

import os
import random
import tempfile


def inputs():
    return [f"{random.random():.6f} INFO request {random.randrange(10**6)} done" for _ in range(400)]


def baseline(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.txt")
        with open(path, "ab", buffering=0) as f:
            for line in lines:
                f.write(line.encode() + b"\n")
        with open(path, "rb") as f:
            return f.read()


def optimized(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.txt")
        with open(path, "ab") as f:
            f.write("".join(line + "\n" for line in lines).encode())
        with open(path, "rb") as f:
            return f.read()
