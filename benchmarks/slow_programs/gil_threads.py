"""Count the primes in ranges, several ranges at once."""

from concurrent.futures import ThreadPoolExecutor


def is_prime(n):
    if n < 2:
        return False
    k = 2
    while k * k <= n:
        if n % k == 0:
            return False
        k += 1
    return True


def count(bounds):
    return sum(is_prime(n) for n in range(*bounds))


chunks = [(start, start + 8_000) for start in range(200_000, 480_000, 8_000)]
with ThreadPoolExecutor(max_workers=4) as pool:
    print(sum(pool.map(count, chunks)))
