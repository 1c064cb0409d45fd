import random
import re

LINE = re.compile(r'^\S+ \[[^\]]+\] "[A-Z]+ \S+ HTTP/1\.1" (\d{3}) (\d+)$', re.MULTILINE)


def inputs():
    lines = []
    for _ in range(800):
        host = ".".join(str(random.randrange(256)) for _ in range(4))
        path = random.choice(["/", "/index.html", "/api/items/%d" % random.randrange(1000), "/static/a.css"])
        status = random.choice([200, 200, 200, 304, 404, 500])
        size = random.randrange(100000)
        lines.append(f'{host} [10/Oct/2024:13:55:36 +0000] "GET {path} HTTP/1.1" {status} {size}')
    return "\n".join(lines)


def baseline(text):
    totals = {}
    for line in text.split("\n"):
        match = re.match(
            r'(?P<host>\S+) \[(?P<time>[^\]]+)\] "(?P<verb>[A-Z]+) (?P<path>\S+) HTTP/1\.1" '
            r"(?P<status>\d{3}) (?P<size>\d+)$",
            line,
        )
        if match:
            fields = match.groupdict()
            status = int(fields["status"])
            totals[status] = totals.get(status, 0) + int(fields["size"])
    return totals


def optimized(text):
    totals = {}
    for status, size in LINE.findall(text):
        totals[status] = totals.get(status, 0) + int(size)
    return {int(status): total for status, total in totals.items()}
