import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")


def inputs():
    base = datetime(2026, 3, 20, tzinfo=UTC)
    return [
        (base + timedelta(seconds=random.randint(0, 86400 * 20))).strftime("%Y-%m-%dT%H:%M:%S+0000") for _ in range(300)
    ]


def baseline(stamps):
    out = [datetime.strptime(s, "%Y-%m-%dT%H:%M:%S%z").astimezone(BERLIN) for s in stamps]
    days = {}
    for t in out:
        days.setdefault(t.date(), []).append(t.timetz())
    return out, days, max(out) - min(out) if out else None


def optimized(stamps):
    out = [datetime.fromisoformat(s).astimezone(BERLIN) for s in stamps]
    days = {}
    for t in out:
        days.setdefault(t.date(), []).append(t.timetz())
    return out, days, max(out) - min(out) if out else None
