"""Summarise JSON lines in one pass into dataclasses."""

import json
import random
from dataclasses import dataclass, field


@dataclass
class Summary:
    user: str
    calls: int = 0
    seconds: float = 0.0
    codes: dict[int, int] = field(default_factory=dict)


def inputs():
    return "\n".join(
        json.dumps({"user": f"u{random.randrange(20)}", "s": random.random(), "code": random.choice([200, 404, 500])})
        for _ in range(500)
    )


def baseline(text):
    rows = [json.loads(line) for line in text.split("\n")]
    found = []
    for user in sorted({r["user"] for r in rows}):
        mine = [r for r in rows if r["user"] == user]
        codes = {c: sum(r["code"] == c for r in mine) for c in sorted({r["code"] for r in mine})}
        found.append(Summary(user, len(mine), sum(r["s"] for r in mine), codes))
    return found


def optimized(text):
    found = {}
    for row in json.loads("[" + text.replace("\n", ",") + "]"):
        s = found.get(row["user"])
        if s is None:
            s = found[row["user"]] = Summary(row["user"])
        s.calls += 1
        s.seconds += row["s"]
        s.codes[row["code"]] = s.codes.get(row["code"], 0) + 1
    return [found[user] for user in sorted(found)]
