"""Test numbers for being prime with one power instead of the rounds of Miller and Rabin."""

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
    return (np.random.randint(10**7, 10**11, count) * 6 + np.random.choice((-1, 1), count)).tolist()


def baseline(numbers):
    return [strong(n, BASES) for n in numbers]


def optimized(numbers):
    return [n == 2 or n > 2 and pow(2, n - 1, n) == 1 for n in numbers]
