"""Load order exports into SQLite and compute customer and product rollups."""

import argparse
import csv
import sqlite3
import tempfile
import time
from pathlib import Path

import numpy as np

SCHEMA = """
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    customer INTEGER NOT NULL,
    product INTEGER NOT NULL,
    day INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    amount REAL NOT NULL
) STRICT;
"""

CUSTOMER_ROLLUP = """
CREATE TABLE customer_rollup AS
SELECT customer, day, amount,
       sum(amount) OVER trailing AS trailing_amount,
       count(*) OVER trailing AS trailing_orders,
       day - lag(day) OVER (PARTITION BY customer ORDER BY day) AS gap
FROM orders
WINDOW trailing AS (PARTITION BY customer ORDER BY day RANGE BETWEEN 29 PRECEDING AND CURRENT ROW)
"""

PRODUCT_ROLLUP = """
CREATE TABLE product_rollup AS
SELECT product, day / 7 AS week, sum(quantity) AS units, sum(amount) AS revenue,
       count(DISTINCT customer) AS buyers
FROM orders GROUP BY product, week
"""


def write_export(path, first_id, rows, rng):
    customer = (20_000 * rng.beta(0.8, 3, rows)).astype(int).tolist()
    product = (2_000 * rng.beta(0.7, 4, rows)).astype(int).tolist()
    day = np.sort(rng.integers(0, 365, rows)).tolist()
    quantity = rng.integers(1, 6, rows).tolist()
    amount = rng.lognormal(3, 0.8, rows).round(2).tolist()
    with open(path, "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(("order_id", "customer", "product", "day", "quantity", "amount"))
        writer.writerows(zip(range(first_id, first_id + rows), customer, product, day, quantity, amount))


def open_database(path):
    db = sqlite3.connect(path)
    db.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "PRAGMA cache_size = -131072; PRAGMA temp_store = MEMORY;"
    )
    db.executescript(SCHEMA)
    return db


def load_export(db, path):
    with open(path, newline="") as handle:
        reader = csv.reader(handle)
        next(reader)
        with db:
            db.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", reader)


def build_rollups(db):
    for name, statement in (("customer", CUSTOMER_ROLLUP), ("product", PRODUCT_ROLLUP)):
        started = time.time()
        with db:
            db.execute(f"DROP TABLE IF EXISTS {name}_rollup")
            db.execute(statement)
        count = db.execute(f"SELECT count(*) FROM {name}_rollup").fetchone()[0]
        print(f"  {name} rollup: {count} rows ({time.time() - started:.2f}s)")


def headline(db):
    return db.execute(
        "SELECT round(avg(trailing_amount), 2), round(avg(gap), 2), max(trailing_orders) FROM customer_rollup"
    ).fetchone()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--exports", type=int, default=6)
    parser.add_argument("--rows", type=int, default=170_000)
    args = parser.parse_args()

    rng = np.random.default_rng(10)
    with tempfile.TemporaryDirectory(prefix="orders-") as folder:
        db = open_database(Path(folder) / "orders.db")
        for number in range(args.exports):
            path = Path(folder) / f"orders-{number:02d}.csv"
            write_export(path, number * args.rows, args.rows, rng)
            started = time.time()
            load_export(db, path)
            path.unlink()
            print(f"export {number} loaded ({time.time() - started:.2f}s)")
        build_rollups(db)
        print("average trailing, gap, max orders:", headline(db))
        db.close()


if __name__ == "__main__":
    main()
