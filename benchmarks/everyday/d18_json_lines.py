"""Parse JSON lines: one loads per line against one array."""

import json
import random
import logging

logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)


def inputs():
    return "\n".join(
        json.dumps(
            {
                "id": i,
                "name": f"user{random.randrange(10**6)}",
                "score": random.random(),
                "tags": random.sample(["a", "b", "c", "d"], 2),
            }
        )
        for i in range(400)
    )


def baseline(text):
    rows = [json.loads(line) for line in text.splitlines()]
    log.info("parsed %d rows", len(rows))
    return rows


def optimized(text):
    return json.loads("[" + text.replace("\n", ",") + "]")
