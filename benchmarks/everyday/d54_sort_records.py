"""Sort records by two keys, one descending: two stable sorts against one key."""

import random
from operator import itemgetter


def inputs():
    return ([{"team": random.choice("abcd"), "points": random.randrange(20), "id": i} for i in range(800)],)


def baseline(rows):
    return sorted(sorted(rows, key=itemgetter("points"), reverse=True), key=itemgetter("team"))


def optimized(rows):
    return sorted(rows, key=lambda r: (r["team"], -r["points"]))
