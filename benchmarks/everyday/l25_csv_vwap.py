"""Read a file of trades and compute the volume-weighted price per symbol, without a dict per row."""

import csv
import random
from pathlib import Path

domain = dict(path="drawn")  # the file has to be there
SYMBOLS = ["AAPL", "MSFT", "NVDA", "AMD", "INTC", "TSM"]


def inputs():
    path = Path(f"trades_{random.getrandbits(48):012x}.csv").absolute()
    ts = 1_760_000_000_000
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ts", "symbol", "price", "size", "venue"])
        for _ in range(3000):
            ts += random.randrange(1, 200)
            symbol = random.choice(SYMBOLS)
            writer.writerow(
                [ts, symbol, f"{random.uniform(20, 400):.4f}", random.randint(1, 500), random.choice("NQAB")]
            )
    return path


def baseline(path):
    money, shares = {}, {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            symbol, size = row["symbol"], int(row["size"])
            money[symbol] = money.get(symbol, 0.0) + float(row["price"]) * size
            shares[symbol] = shares.get(symbol, 0) + size
    return {symbol: (money[symbol] / shares[symbol], shares[symbol]) for symbol in sorted(money)}


def optimized(path):
    totals = {}
    with open(path, newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        s, p, n = header.index("symbol"), header.index("price"), header.index("size")
        for row in rows:
            size = int(row[n])
            entry = totals.get(row[s])
            if entry is None:
                totals[row[s]] = [0.0 + float(row[p]) * size, size]
            else:
                entry[0] += float(row[p]) * size
                entry[1] += size
    return {symbol: (money / shares, shares) for symbol, (money, shares) in sorted(totals.items())}
