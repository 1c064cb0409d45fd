"""Count status codes per hour of an access log: one compiled pattern over the text, and no strptime."""

import random
import re
from collections import Counter
from datetime import datetime, timedelta, timezone

workload = dict(lines=1500)
smoke = dict(lines=12)

MONTHS = {m: i + 1 for i, m in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())}
LINE = re.compile(
    r"^(?P<ip>\S+) \S+ \S+ \[(?P<d>\d\d)/(?P<mon>[A-Z][a-z]{2})/(?P<y>\d{4}):(?P<h>\d\d):\d\d:\d\d "
    r'(?P<sign>[+-])(?P<zh>\d\d)(?P<zm>\d\d)\] "[^"\n]*" (?P<status>\d{3}) (?P<size>\d+|-)$',
    re.M,
)


def inputs(lines):
    when = datetime(2026, random.randint(1, 12), random.randint(1, 28), tzinfo=timezone.utc)
    text = []
    for _ in range(lines):
        when += timedelta(seconds=random.expovariate(1 / 40))
        ip = ".".join(str(random.randrange(1, 255)) for _ in range(4))
        path = random.choice(["/", "/index.html", "/img/logo.png", "/api/orders?id=%d" % random.randrange(9999)])
        status = random.choices([200, 304, 404, 500], [85, 8, 5, 2])[0]
        size = "-" if status == 304 else str(random.randrange(100, 50_000))
        text.append(f'{ip} - - [{when:%d/%b/%Y:%H:%M:%S} +0000] "GET {path} HTTP/1.1" {status} {size}')
    return "\n".join(text)


def baseline(text):
    hours = {}
    sent = 0
    for line in text.split("\n"):
        m = re.match(r'^(\S+) (\S+) (\S+) \[([^\]]+)\] "([^"]*)" (\d{3}) (\d+|-)$', line)
        if not m:
            continue
        when = datetime.strptime(m.group(4), "%d/%b/%Y:%H:%M:%S %z")
        hour = when.replace(minute=0, second=0)
        hours.setdefault(hour, Counter())[int(m.group(6))] += 1
        if m.group(7) != "-":
            sent += int(m.group(7))
    return {h: dict(c) for h, c in hours.items()}, sent


def optimized(text):
    hours = {}
    stamps = {}
    sent = 0
    for ip, d, mon, y, h, sign, zh, zm, status, size in LINE.findall(text):
        key = (d, mon, y, h, sign, zh, zm)
        counts = stamps.get(key)
        if counts is None:
            offset = timedelta(hours=int(zh), minutes=int(zm))
            zone = timezone(-offset if sign == "-" else offset)
            hour = datetime(int(y), MONTHS[mon], int(d), int(h), tzinfo=zone)
            counts = stamps[key] = hours.setdefault(hour, {})
        code = int(status)
        counts[code] = counts.get(code, 0) + 1
        if size != "-":
            sent += int(size)
    return hours, sent
