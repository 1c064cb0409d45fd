"""Backfill customer features from the order history held in SQLite."""

import os
import random
import sqlite3
import tempfile
import time
from contextlib import closing

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT, region TEXT);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_email TEXT NOT NULL,
    placed_at INTEGER NOT NULL,
    amount REAL NOT NULL,
    status TEXT NOT NULL
);
CREATE TABLE features (
    customer_id INTEGER PRIMARY KEY,
    n_orders INTEGER, spend REAL, last_order INTEGER, refund_rate REAL
);
"""


def seed_database(path, customers=3000, orders=50_000, seed=0):
    rng = random.Random(seed)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(SCHEMA)
        people = [(i, f"user{i}@example.org", rng.choice("NSEW")) for i in range(customers)]
        db.executemany("INSERT INTO customers VALUES (?, ?, ?)", people)
        rows = (
            (
                f"user{int(rng.paretovariate(0.6)) % customers}@example.org",
                1_600_000_000 + rng.randrange(10**8),
                round(rng.lognormvariate(3, 1), 2),
                rng.choices(["paid", "refunded", "open"], [90, 6, 4])[0],
            )
            for _ in range(orders)
        )
        db.executemany("INSERT INTO orders (customer_email, placed_at, amount, status) VALUES (?, ?, ?, ?)", rows)
        db.commit()


class FeatureBuilder:
    def __init__(self, db):
        self.db = db
        self.regions = {}

    def pending(self, limit):
        return self.db.execute(
            "SELECT c.id, c.email, c.region FROM customers c "
            "LEFT JOIN features f ON f.customer_id = c.id "
            "WHERE f.customer_id IS NULL ORDER BY c.id LIMIT ?",
            (limit,),
        ).fetchall()

    def history(self, email):
        return self.db.execute(
            "SELECT placed_at, amount, status FROM orders WHERE customer_email = ? ORDER BY placed_at", (email,)
        ).fetchall()

    def build(self, customer_id, email, region):
        past = self.history(email)
        spend = sum(amount for _, amount, status in past if status == "paid")
        refunds = sum(status == "refunded" for _, _, status in past)
        self.regions[region] = self.regions.get(region, 0.0) + spend
        last = past[-1][0] if past else None
        return (customer_id, len(past), round(spend, 2), last, refunds / len(past) if past else 0.0)

    def store(self, rows):
        with self.db:
            self.db.executemany("INSERT INTO features VALUES (?, ?, ?, ?, ?)", rows)


def backfill(path, batches, size):
    with closing(sqlite3.connect(path)) as db:
        builder = FeatureBuilder(db)
        done, t0 = 0, time.perf_counter()
        for _ in range(batches):
            todo = builder.pending(size)
            if not todo:
                break
            builder.store([builder.build(*row) for row in todo])
            done += len(todo)
            print(f"{done} customers, {done / (time.perf_counter() - t0):.0f}/s")
        return builder.regions


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shop.db")
        seed_database(path)
        regions = backfill(path, batches=10, size=150)
    print({k: round(v) for k, v in sorted(regions.items())})


if __name__ == "__main__":
    main()
