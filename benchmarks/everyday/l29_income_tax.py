"""Income tax: bisect into brackets whose lower taxes are summed up beforehand."""

import random
from bisect import bisect_right

domain = dict(income=(0.0, 10_000_000.0))

BRACKETS = [
    (0, 0.10),
    (11_600, 0.12),
    (47_150, 0.22),
    (100_525, 0.24),
    (191_950, 0.32),
    (243_725, 0.35),
    (609_350, 0.37),
]

STARTS = [float(start) for start, _ in BRACKETS]
RATES = [rate for _, rate in BRACKETS]
BELOW = [0.0]
for (lo, rate), (hi, _) in zip(BRACKETS, BRACKETS[1:]):
    BELOW.append(BELOW[-1] + (hi - lo) * rate)


def inputs():
    return round(random.lognormvariate(11.0, 0.8), 2)


def baseline(income):
    tax = 0.0
    for i, (start, rate) in enumerate(BRACKETS):
        end = BRACKETS[i + 1][0] if i + 1 < len(BRACKETS) else float("inf")
        if income > start:
            tax += (min(income, end) - start) * rate
    return tax


def optimized(income):
    i = bisect_right(STARTS, income) - 1
    return BELOW[i] + (income - STARTS[i]) * RATES[i]
