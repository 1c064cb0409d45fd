"""ETL for supplier invoices: parse, check, enrich, aggregate; with an audit trail."""

import inspect
import io
import random
import time
from collections import Counter, defaultdict
from datetime import date, timedelta
from decimal import Decimal


class Audit:
    """Keeps a compact trail of who decided what about which document."""

    def __init__(self, keep=5000):
        self.entries = []
        self.keep = keep
        self.by_origin = Counter()

    def note(self, document, decision):
        frame = inspect.stack()[1]
        origin = f"{frame.function}:{frame.lineno}"
        self.by_origin[origin] += 1
        self.entries.append((document, origin, decision))
        if len(self.entries) > self.keep:
            del self.entries[: self.keep // 2]


audit = Audit()


def supplier_file(n, seed=0):
    rng = random.Random(seed)
    out = io.StringIO()
    start = date(2024, 1, 1)
    for i in range(n):
        lines = "|".join(
            f"{rng.choice(['bolt', 'nut', 'panel', 'cable', 'pump'])}:{rng.randint(1, 40)}:"
            f"{rng.randint(100, 99999) / 100:.2f}"
            for _ in range(rng.randint(3, 9))
        )
        day = start + timedelta(days=rng.randrange(365))
        out.write(
            f"INV{i:06d};S{rng.randrange(40):03d};{day.isoformat()};{rng.choice(['EUR', 'USD', 'CHF'])};{lines}\n"
        )
    out.seek(0)
    return out


RATES = {"EUR": Decimal("1"), "USD": Decimal("0.92"), "CHF": Decimal("1.04")}


def parse(line):
    number, supplier, day, currency, raw = line.rstrip("\n").split(";")
    items = []
    for part in raw.split("|"):
        name, count, price = part.split(":")
        items.append((name, int(count), Decimal(price)))
    return {
        "number": number,
        "supplier": supplier,
        "day": date.fromisoformat(day),
        "currency": currency,
        "items": items,
    }


def check(invoice):
    total = sum(count * price for _, count, price in invoice["items"])
    if total > 60_000:
        audit.note(invoice["number"], "needs second approval")
        invoice["hold"] = True
    else:
        audit.note(invoice["number"], "accepted")
        invoice["hold"] = False
    invoice["total"] = total
    return invoice


def enrich(invoice):
    rate = RATES[invoice["currency"]]
    invoice["total_eur"] = (invoice["total"] * rate).quantize(Decimal("0.01"))
    invoice["due"] = invoice["day"] + timedelta(days=30 if rate == 1 else 45)
    audit.note(invoice["number"], f"converted at {rate}")
    return invoice


class Ledger:
    def __init__(self):
        self.by_supplier = defaultdict(Decimal)
        self.by_month = defaultdict(Decimal)
        self.held = 0

    def post(self, invoice):
        if invoice["hold"]:
            self.held += 1
            return
        self.by_supplier[invoice["supplier"]] += invoice["total_eur"]
        self.by_month[invoice["due"].strftime("%Y-%m")] += invoice["total_eur"]


def run(batches=12, size=100):
    ledger = Ledger()
    t0 = time.perf_counter()
    done = 0
    for b in range(batches):
        for line in supplier_file(size, seed=b):
            ledger.post(enrich(check(parse(line))))
            done += 1
        print(f"batch {b:2d}: {done} invoices, {done / (time.perf_counter() - t0):.0f}/s")
    best = max(ledger.by_supplier.items(), key=lambda kv: kv[1])
    print("largest supplier", best, "held", ledger.held, dict(audit.by_origin.most_common(3)))


if __name__ == "__main__":
    run()
