import random
from datetime import datetime, timedelta


def inputs():
    start = datetime(2001, 1, 1)
    return [(start + timedelta(seconds=random.randrange(700_000_000))).isoformat() for _ in range(400)]


def baseline(stamps):
    return [datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S") for stamp in stamps]


def optimized(stamps):
    return [datetime.fromisoformat(stamp) for stamp in stamps]
