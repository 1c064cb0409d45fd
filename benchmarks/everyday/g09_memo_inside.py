"""Count the ways to make change with a memo that lives for one call."""

import random
from functools import cache


def inputs():
    coins = tuple(sorted(random.sample(range(2, 40), 5)))
    return random.randrange(180, 220), coins


def baseline(total, coins):
    def ways(left, k):
        if left == 0:
            return 1
        if left < 0 or k == len(coins):
            return 0
        return ways(left - coins[k], k) + ways(left, k + 1)

    return ways(total, 0)


def optimized(total, coins):
    @cache
    def ways(left, k):
        if left == 0:
            return 1
        if left < 0 or k == len(coins):
            return 0
        return ways(left - coins[k], k) + ways(left, k + 1)

    return ways(total, 0)
