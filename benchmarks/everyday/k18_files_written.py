"""Write a report and read it back: many small writes against one; the files lie in the working folder."""

import json
import os
import random
from pathlib import Path


def inputs():
    return [{"id": i, "score": random.random(), "tags": random.sample("abcdef", 2)} for i in range(300)]


def baseline(rows):
    Path("out").mkdir(exist_ok=True)
    for r in rows:
        with open("out/report.jsonl", "a" if r["id"] else "w") as f:
            f.write(json.dumps(r) + "\n")
    return os.path.getsize("out/report.jsonl"), Path("out/report.jsonl").read_text()


def optimized(rows):
    Path("out").mkdir(exist_ok=True)
    with open("out/report.jsonl", "w") as f:
        f.writelines(json.dumps(r) + "\n" for r in rows)
    return os.path.getsize("out/report.jsonl"), Path("out/report.jsonl").read_text()
