"""Revalues a book of Asian options against moving spot prices."""

import math
import random
import time
from functools import lru_cache

CONTRACTS = 300
TICKS = 25
NODES = 64


@lru_cache(maxsize=256)
def averaging_weights(maturity_days, fixings, mean_reversion):
    """Second-moment weights of the running average."""
    step = maturity_days / 365.0 / fixings
    times = [step * (i + 1) for i in range(fixings)]
    weights = []
    for i, t in enumerate(times):
        total = 0.0
        for s in times:
            overlap = min(t, s)
            total += math.exp(-mean_reversion * abs(t - s)) * overlap
        weights.append(total / fixings)
    return tuple(weights)


def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


class Contract:
    __slots__ = ("symbol", "strike", "maturity_days", "fixings", "mean_reversion", "quantity")

    def __init__(self, number, rng):
        self.symbol = f"S{number % 25:02d}"
        self.strike = rng.uniform(80, 120)
        self.maturity_days = 30 + number
        self.fixings = NODES + number % 8
        self.mean_reversion = 0.1 + 0.05 * (number % 4)
        self.quantity = rng.choice([-10, -5, 5, 10])


def price(contract, mean_weight, spot, vol, rate=0.03):
    variance = vol * vol * mean_weight
    maturity = contract.maturity_days / 365.0
    forward = spot * (math.exp(rate * maturity) - 1) / (rate * maturity)
    spread = math.sqrt(variance)
    d1 = (math.log(forward / contract.strike) + 0.5 * variance) / spread
    discount = math.exp(-rate * maturity)
    return discount * (forward * normal_cdf(d1) - contract.strike * normal_cdf(d1 - spread))


def exposure(contract, spot, vol):
    weights = averaging_weights(contract.maturity_days, contract.fixings, contract.mean_reversion)
    mean_weight = sum(weights) / len(weights)
    base = price(contract, mean_weight, spot, vol)
    up = price(contract, mean_weight, spot * 1.01, vol)
    down = price(contract, mean_weight, spot * 0.99, vol)
    vega = price(contract, mean_weight, spot, vol + 0.01) - base
    return base, (up - down) / (0.02 * spot), vega


class Market:
    def __init__(self, rng):
        self.rng = rng
        self.spots = {f"S{i:02d}": rng.uniform(90, 110) for i in range(25)}
        self.vols = {name: rng.uniform(0.15, 0.4) for name in self.spots}

    def tick(self):
        for name in self.spots:
            self.spots[name] *= math.exp(self.rng.gauss(0, 0.002))
            self.vols[name] = max(0.05, self.vols[name] + self.rng.gauss(0, 0.001))


def revalue(book, market):
    value = delta = vega = 0.0
    for contract in book:
        base, slope, vol_slope = exposure(contract, market.spots[contract.symbol], market.vols[contract.symbol])
        value += contract.quantity * base
        delta += contract.quantity * slope
        vega += contract.quantity * vol_slope
    return value, delta, vega


def main():
    rng = random.Random(8)
    book = [Contract(number, rng) for number in range(CONTRACTS)]
    market = Market(rng)
    started = time.time()
    for tick in range(1, TICKS + 1):
        market.tick()
        value, delta, vega = revalue(book, market)
        if tick % 5 == 0:
            print(
                f"tick {tick:3d}  value {value:10.2f}  delta {delta:8.2f}  vega {vega:8.2f}  "
                f"{time.time() - started:.1f}s",
                flush=True,
            )
    print("book closed")


if __name__ == "__main__":
    main()
