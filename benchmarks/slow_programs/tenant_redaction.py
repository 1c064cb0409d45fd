"""Redact customer secrets from application logs before they are shipped.

Every tenant contributes a couple of rules; all rules apply to every record.
"""

import json
import random
import re
import string
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    tenant: str
    pattern: str
    replacement: str


def tenant_rules(n_tenants, seed=0):
    rng = random.Random(seed)
    rules = []
    for i in range(n_tenants):
        tag = "".join(rng.choices(string.ascii_lowercase, k=5))
        rules.append(
            Rule(
                f"tenant-{i}",
                rf"\b{tag}[-_](?:key|token|secret)[=:]\s*([A-Za-z0-9+/]{{16,64}}={{0,2}})",
                f"<{tag}-credential>",
            )
        )
        rules.append(
            Rule(
                f"tenant-{i}",
                rf"(?i){tag}/(?:orders?|users?)/(\d{{6,12}})(?:\?[\w=&]*)?",
                f"{tag}/<id>",
            )
        )
    return rules


def log_records(n, rules, seed=1):
    rng = random.Random(seed)
    verbs = ["GET", "PUT", "POST"]
    tags = sorted({r.replacement.strip("<").split("-")[0].split("/")[0] for r in rules})
    for i in range(n):
        tag = rng.choice(tags)
        secret = "".join(rng.choices(string.ascii_letters + string.digits, k=24))
        yield {
            "ts": 1_700_000_000 + i,
            "level": rng.choice(["INFO", "INFO", "WARN"]),
            "msg": f"{rng.choice(verbs)} /{tag}/orders/{rng.randrange(10**6, 10**9)}?x=1 "
            f"{tag}-token={secret} took {rng.random():.3f}s",
        }


class Redactor:
    def __init__(self, rules):
        self.rules = rules
        self.hits = {}

    def redact(self, text):
        for rule in self.rules:
            text, n = re.subn(rule.pattern, rule.replacement, text)
            if n:
                self.hits[rule.tenant] = self.hits.get(rule.tenant, 0) + n
        return text

    def process(self, record):
        clean = dict(record)
        clean["msg"] = self.redact(record["msg"])
        return clean


class Shipper:
    """Collects newline separated JSON and pretends to upload it in blocks."""

    def __init__(self, block=16):
        self.block = block
        self.pending = []
        self.bytes = 0

    def write(self, record):
        self.pending.append(json.dumps(record, sort_keys=True))
        if len(self.pending) >= self.block:
            self.flush()

    def flush(self):
        payload = "\n".join(self.pending).encode()
        self.bytes += len(payload)
        self.pending.clear()


def main():
    rules = tenant_rules(450)
    redactor = Redactor(rules)
    shipper = Shipper()
    t0 = time.perf_counter()
    for i, record in enumerate(log_records(40, rules), 1):
        shipper.write(redactor.process(record))
        if i % 4 == 0:
            print(f"{i} records, {i / (time.perf_counter() - t0):.2f}/s")
    shipper.flush()
    print(f"shipped {shipper.bytes} bytes, {sum(redactor.hits.values())} replacements, {len(redactor.hits)} tenants")


if __name__ == "__main__":
    main()
