"""Test numbers for being prime with the shortest list of bases that is proven for their size.

Bases 2, 7 and 61 are proven below 4,759,123,141 (Jaeschke 1993); larger numbers get all twelve.
"""

import numpy as np

workload = dict(count=300)
smoke = dict(count=40)


def witness(n, base, odd, twos):
    x = pow(base, odd, n)
    if x in (1, n - 1):
        return False
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return False
    return True


def strong(n, bases):
    if n < 2:
        return False
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 61):
        if n % p == 0:
            return n == p
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return not any(witness(n, base, odd, twos) for base in bases)


BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)  # proven for all n below 3.1e23


def inputs(count):
    return (np.random.randint(10**7, 7 * 10**8, count) * 6 + np.random.choice((-1, 1), count)).tolist()


def baseline(numbers):
    return [strong(n, BASES) for n in numbers]


def optimized(numbers):
    return [strong(n, (2, 7, 61) if n < 4_759_123_141 else BASES) for n in numbers]
