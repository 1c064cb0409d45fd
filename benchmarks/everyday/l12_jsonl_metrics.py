"""Parse newline-delimited JSON with one call of the decoder rather than one per line."""

import json
import random
from collections import defaultdict

workload = {"lines": 2000}
smoke = {"lines": 23}

ROUTES = ["/", "/login", "/api/v1/items", "/api/v1/items/{id}", "/health", "/search"]


def inputs(lines):
    out = []
    for _ in range(lines):
        record = {
            "ts": 1_700_000_000 + random.random() * 86_400,
            "route": random.choices(ROUTES, weights=[30, 5, 20, 25, 15, 5])[0],
            "status": random.choices([200, 204, 301, 404, 500], weights=[80, 5, 5, 8, 2])[0],
            "ms": round(random.lognormvariate(2.5, 0.8), 3),
            "user": random.choice([None, "u%05d" % random.randrange(10_000)]),
            "tags": ["é", '"q"'] if random.random() < 0.1 else [],
        }
        out.append(json.dumps(record).encode())
    return out


def _fold(records):
    stats = defaultdict(lambda: {"n": 0, "errors": 0, "total_ms": 0.0, "max_ms": 0.0, "users": set()})
    for r in records:
        s = stats[r["route"]]
        s["n"] += 1
        s["errors"] += r["status"] >= 500
        s["total_ms"] += r["ms"]
        s["max_ms"] = max(s["max_ms"], r["ms"])
        if r["user"] is not None:
            s["users"].add(r["user"])
    return dict(stats)


def baseline(lines):
    return _fold(json.loads(line) for line in lines)


def optimized(lines):
    return _fold(json.loads(b"[" + b",".join(lines) + b"]"))
