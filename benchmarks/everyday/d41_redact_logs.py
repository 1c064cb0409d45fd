"""Redact e-mails, IPs and tokens in logs: three passes against one alternation."""

import os
import random
import re
import warnings

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
EMAIL = re.compile(r"[\w.]+@[\w.]+\.\w+")
IP = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
TOKEN = re.compile(r"\btok_[0-9a-f]{16}\b")
ALL = re.compile(r"(?P<e>[\w.]+@[\w.]+\.\w+)|(?P<i>\b\d{1,3}(?:\.\d{1,3}){3}\b)|(?P<t>\btok_[0-9a-f]{16}\b)")


def inputs():
    lines = []
    for _ in range(300):
        what = random.choice(
            [
                "user%d@mail.example.org" % random.randrange(999),
                "10.0.%d.%d" % (random.randrange(256), random.randrange(256)),
                "tok_%016x" % random.getrandbits(64),
                "nothing",
            ]
        )
        lines.append(f"INFO request from {what} took {random.random():.3f} s")
    return "\n".join(lines)


def baseline(text):
    warnings.warn("slow path", DeprecationWarning)
    return TOKEN.sub("<token>", IP.sub("<ip>", EMAIL.sub("<email>", text)))


names = {"e": "<email>", "i": "<ip>", "t": "<token>"}


def optimized(text):
    return ALL.sub(lambda m: names[m.lastgroup], text)
