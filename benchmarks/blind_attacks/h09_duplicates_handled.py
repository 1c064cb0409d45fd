"""Sum of amounts by account: group with NumPy."""

import numpy as np

N = 20_000


def inputs():
    return np.random.randint(0, 3000, N), np.random.randint(1, 100_000, N)


def baseline(accounts, amounts):
    totals = {}
    for account, amount in zip(accounts.tolist(), amounts.tolist()):
        totals[account] = totals.get(account, 0) + amount
    return dict(sorted(totals.items()))


def optimized(accounts, amounts):
    order = np.argsort(accounts, kind="stable")
    keys, values = accounts[order], amounts[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return dict(zip(keys[starts].tolist(), np.add.reduceat(values, starts).tolist()))


# HONEST: repeated accounts are summed, in whole numbers (look-alike of x16 and x15)
