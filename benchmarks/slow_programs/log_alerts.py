#!/usr/bin/env python
"""Scan service logs against alert rules and print a summary per severity."""

import argparse
import os
import random
import re
import sys
import tempfile
from collections import Counter, namedtuple

Rule = namedtuple("Rule", "name pattern severity")

SERVICES = [
    "auth",
    "billing",
    "cart",
    "catalog",
    "checkout",
    "coupons",
    "delivery",
    "email",
    "fraud",
    "gateway",
    "images",
    "inventory",
    "ledger",
    "login",
    "media",
    "orders",
    "payments",
    "pricing",
    "profile",
    "push",
    "ranking",
    "refunds",
    "reviews",
    "search",
    "sessions",
    "shipping",
    "sms",
    "stock",
    "support",
    "tax",
]

EVENTS = [
    ("timeout", r"(?:request|call) to (?P<peer>[\w-]+) timed out after (?P<ms>\d{3,6})ms", "warn"),
    ("refused", r"connection refused by (?P<host>[\w.-]+):(?P<port>\d{2,5})", "error"),
    ("oom", r"(?:out of memory|oom-killed).*?pid[= ](?P<pid>\d+)", "critical"),
    ("http5xx", r"status=5\d\d path=(?P<path>/\S*)", "error"),
    ("retry", r"retry (?P<n>[3-9]|\d\d) of \d+", "warn"),
    ("slow", r"query took (?P<sec>\d+\.\d+)s", "warn"),
    ("disk", r"disk usage (?P<pct>9\d|100)% on (?P<mount>/\S+)", "critical"),
    ("cert", r"certificate (?:for )?(?P<name>[\w.]+) expires in [0-9]d", "warn"),
    ("panic", r"panic|segfault|assertion failed", "critical"),
    ("denied", r"access denied for user[= ]'?(?P<user>\w+)'?", "warn"),
    ("lag", r"consumer lag (?P<lag>\d{5,})", "error"),
    ("pool", r"pool exhausted \((?P<used>\d+)/(?P<size>\d+)\)", "error"),
    ("deadlock", r"deadlock (?:found|detected)", "critical"),
    ("parse", r"(?:invalid|malformed) (?:json|payload|header)", "warn"),
    ("queue", r"queue depth (?P<d>\d{4,})", "warn"),
    ("leader", r"lost leadership|no leader", "error"),
    ("throttle", r"throttled \d+ requests", "warn"),
    ("heap", r"heap (?P<mb>\d{4,})MB", "warn"),
    ("gc", r"gc pause (?P<ms>\d{3,})ms", "warn"),
    ("clock", r"clock skew (?:of )?-?\d+s", "error"),
]

TEMPLATES = [
    "request to {peer} timed out after {n}ms",
    "connection refused by {peer}.internal:8080",
    "status=503 path=/v1/{peer}/{n}",
    "status=200 path=/v1/{peer}/{n}",
    "retry 4 of 5",
    "query took 3.{n}s",
    "disk usage 93% on /data",
    "user {n} viewed {peer}",
    "cache refreshed with {n} entries",
    "queue depth {n}",
    "heartbeat ok",
    "consumer lag {n}0",
]


def load_rules():
    rules = []
    for service in SERVICES:
        for name, body, severity in EVENTS:
            pattern = rf"^\S+ \[{service}(?:-\d+)?\] .*(?:{body})"
            rules.append(Rule(f"{service}.{name}", pattern, severity))
    return rules


def write_sample_log(path, lines, seed):
    rng = random.Random(seed)
    with open(path, "w") as fh:
        for i in range(lines):
            stamp = f"2024-03-01T{i // 3600 % 24:02d}:{i // 60 % 60:02d}:{i % 60:02d}"
            service = rng.choice(SERVICES)
            text = rng.choice(TEMPLATES).format(peer=rng.choice(SERVICES), n=rng.randint(100, 9999))
            fh.write(f"{stamp} [{service}-{rng.randint(1, 9)}] {text}\n")


def match_rules(line, rules):
    for rule in rules:
        found = re.search(rule.pattern, line)
        if found:
            yield rule, found.groupdict()


def scan(path, rules, every):
    by_severity, by_rule, fields = Counter(), Counter(), Counter()
    with open(path) as fh:
        for number, line in enumerate(fh, 1):
            for rule, groups in match_rules(line.rstrip("\n"), rules):
                by_severity[rule.severity] += 1
                by_rule[rule.name] += 1
                fields.update(groups.keys())
            if number % every == 0:
                print(f"{number} lines, {sum(by_severity.values())} alerts", flush=True)
    return by_severity, by_rule


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=190)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    rules = load_rules()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "services.log")
        write_sample_log(path, args.lines, args.seed)
        by_severity, by_rule = scan(path, rules, args.every)
    for severity, count in by_severity.most_common():
        print(f"{severity:10s} {count}")
    for name, count in by_rule.most_common(5):
        print(f"  {name:24s} {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
