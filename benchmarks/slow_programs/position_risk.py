"""Daily risk figures for a book of positions loaded from the back-office export."""

import random
import time

import numpy as np

DESKS = ["rates", "credit", "fx", "equity", "metals"]


def export_rows(n, seed):
    """Rows as the export delivers them: numbers, and blanks for missing quantities."""
    rng = random.Random(seed)
    for i in range(n):
        yield (
            rng.choice(DESKS),
            None if rng.random() < 0.002 else float(rng.randint(-500, 500)),
            rng.lognormvariate(3, 0.6),
            rng.gauss(0.0, 0.02),
            rng.uniform(0.1, 0.6),
        )


class Book:
    def __init__(self, rows):
        desks, qty, price, drift, vol = zip(*rows)
        self.desk = np.array([DESKS.index(d) for d in desks])
        self.quantity = np.array(qty)
        self.quantity[self.quantity == None] = 0.0  # noqa: E711
        self.price = np.array(price)
        self.drift = np.array(drift)
        self.vol = np.array(vol)

    def __len__(self):
        return len(self.price)


class Scenario:
    def __init__(self, seed, n_factors=5):
        rng = np.random.default_rng(seed)
        self.shock = rng.normal(0, 0.02, n_factors)
        self.vol_shift = rng.normal(0, 0.05)
        self.horizon = rng.choice([1, 5, 10]) / 252

    def reprice(self, book):
        move = book.drift * self.horizon + self.shock[book.desk]
        convexity = 0.5 * (book.vol + self.vol_shift) ** 2 * self.horizon
        return book.price * np.exp(move - convexity)


class RiskEngine:
    def __init__(self, book):
        self.book = book
        self.totals = []
        self.by_desk = []

    def profit(self, scenario):
        new = scenario.reprice(self.book)
        gross = self.book.quantity * (new - self.book.price)
        cost = 0.0005 * abs(self.book.quantity) * new
        return gross - cost

    def run(self, scenario):
        pnl = self.profit(scenario)
        self.totals.append(float(pnl.sum()))
        self.by_desk.append([float(pnl[self.book.desk == d].sum()) for d in range(len(DESKS))])
        exposure = self.book.quantity * self.book.price * self.book.vol
        return float(np.sqrt((exposure * exposure).sum()))

    def value_at_risk(self, level=0.95):
        losses = -np.array(self.totals)
        return float(np.quantile(losses, level))

    def desk_report(self):
        worst = np.min(self.by_desk, axis=0)
        return {d: round(float(w)) for d, w in zip(DESKS, worst)}


def main(positions=60_000, scenarios=220):
    book = Book(export_rows(positions, seed=4))
    engine = RiskEngine(book)
    print(f"{len(book)} positions")
    t0 = time.perf_counter()
    for s in range(1, scenarios + 1):
        exposure = engine.run(Scenario(seed=s))
        if s % 20 == 0:
            print(f"{s} scenarios, {s / (time.perf_counter() - t0):.1f}/s, exposure {exposure:,.0f}")
    print(f"VaR95 {engine.value_at_risk():,.0f}", engine.desk_report())


if __name__ == "__main__":
    main()
