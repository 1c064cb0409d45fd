"""Parse web server log lines with one compiled pattern."""

import random
import re
from dataclasses import dataclass


@dataclass
class Hit:
    ip: str
    path: str
    status: int


PATTERN = re.compile(r'^(\S+) \S+ \S+ \[[^\]]+\] "GET (\S+) [^"]*" (\d{3})')


def inputs():
    lines = []
    for _ in range(300):
        ip = ".".join(str(random.randrange(256)) for _ in range(4))
        lines.append(
            f'{ip} - - [10/Oct/2000:13:55:36 -0700] "GET /p/{random.randrange(999)} HTTP/1.0" {random.choice([200, 404, 500])} 2326'
        )
    return lines


def baseline(lines):
    out = []
    for line in lines:
        ip = line.split(" ")[0]
        path = re.search(r'"GET (\S+) ', line).group(1)
        status = int(re.search(r'" (\d{3}) ', line).group(1))
        out.append(Hit(ip, path, status))
    return out


def optimized(lines):
    return [Hit(m[1], m[2], int(m[3])) for m in map(PATTERN.match, lines)]
