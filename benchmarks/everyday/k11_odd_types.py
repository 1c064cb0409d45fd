"""An order book summed up: tuple keys, enums, decimals, named tuples, frozen sets, counters, None."""

import random
from collections import Counter, defaultdict, namedtuple
from decimal import Decimal
from enum import Enum


class Side(Enum):
    BUY = "buy"
    SELL = "sell"


Level = namedtuple("Level", "price amount traders")
Order = namedtuple("Order", "symbol side price amount trader")


def inputs():
    return [
        Order(
            random.choice(["AA", "BB", "CC"]),
            random.choice(list(Side)),
            Decimal(random.randint(9000, 9040)) / 100,
            random.randint(1, 9),
            random.choice("uvwxyz"),
        )
        for _ in range(400)
    ]


def baseline(orders):
    out = {}
    for key in {(o.symbol, o.side) for o in orders}:
        mine = [o for o in orders if (o.symbol, o.side) == key]
        levels = [
            Level(p, sum(o.amount for o in mine if o.price == p), frozenset(o.trader for o in mine if o.price == p))
            for p in sorted({o.price for o in mine})
        ]
        out[key] = levels
    best = {k: (v[0].price if v else None) for k, v in out.items()}
    return out, best, Counter(o.trader for o in orders), None


def optimized(orders):
    book = defaultdict(dict)
    for o in orders:
        level = book[o.symbol, o.side].setdefault(o.price, [0, set()])
        level[0] += o.amount
        level[1].add(o.trader)
    out = {k: [Level(p, *(lambda a, t: (a, frozenset(t)))(*v[p])) for p in sorted(v)] for k, v in book.items()}
    best = {k: (v[0].price if v else None) for k, v in out.items()}
    return out, best, Counter(o.trader for o in orders), None
