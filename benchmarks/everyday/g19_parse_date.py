"""Parse a timestamp with fromisoformat instead of strptime: microseconds."""

import random
from datetime import datetime


def inputs():
    return datetime.fromtimestamp(random.randrange(2**31)).isoformat()


def baseline(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")


def optimized(text):
    return datetime.fromisoformat(text)
