"""Spread heavy pure-Python work over a kept pool of processes.

Threads share the interpreter lock, so four chunks of Python code take as long on four threads as on one. Processes have
a lock each. Forking them costs tens of milliseconds, so the pool is made once and kept; a call then only pickles
four short lists and sends back four numbers.
"""

import multiprocessing
import random

CHUNKS = 4

workload = workload_cpu = dict(length=500)  # numbers in a chunk: about 5 ms
smoke = dict(length=5)
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers
tier = "idiomatic"


def collatz_steps(numbers):
    total = 0
    for number in numbers:
        while number > 1:
            number = 3 * number + 1 if number % 2 else number // 2
            total += 1
    return total


def inputs(length):
    return ([[random.randrange(1, 100_000) for _ in range(length)] for _ in range(CHUNKS)],)


def reference(chunks):
    def steps(number):
        return 0 if number == 1 else 1 + steps(number // 2 if number % 2 == 0 else 3 * number + 1)

    return [sum(steps(number) for number in chunk) for chunk in chunks]


def baseline(chunks):
    return [collatz_steps(chunk) for chunk in chunks]


def prepare_optimized(chunks):
    return multiprocessing.get_context("fork").Pool(CHUNKS)


def optimized(pool, chunks):
    return pool.map(collatz_steps, chunks, chunksize=1)


def cost(length):
    return dict(flops=3 * 108 * CHUNKS * length, bytes=8 * CHUNKS * length, predicted_optimized=3.0)
