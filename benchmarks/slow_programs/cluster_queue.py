"""Event-driven simulation of an inference cluster under several routing policies."""

import heapq
import random
import time
from collections import deque

REPLICAS, SLOTS = 24, 6
ARRIVALS = 200_000
ARRIVE, FINISH = 0, 1


class Replica:
    __slots__ = ("busy", "waiting", "work", "served")

    def __init__(self):
        self.busy = 0
        self.waiting = deque()
        self.work = 0.0
        self.served = 0


def pick_random(replicas, rnd):
    return rnd.randrange(REPLICAS)


def pick_two(replicas, rnd):
    a, b = rnd.randrange(REPLICAS), rnd.randrange(REPLICAS)
    ra, rb = replicas[a], replicas[b]
    return a if ra.busy + len(ra.waiting) <= rb.busy + len(rb.waiting) else b


def pick_least_work(replicas, rnd):
    a, b, c = rnd.randrange(REPLICAS), rnd.randrange(REPLICAS), rnd.randrange(REPLICAS)
    return min(a, b, c, key=lambda i: replicas[i].work)


def service_time(rnd):
    prompt = rnd.lognormvariate(5.0, 0.8)
    output = rnd.expovariate(1 / 120.0)
    return 0.0002 * prompt + 0.012 * output + 0.01


class Histogram:
    def __init__(self, width=0.02, bins=4000):
        self.width = width
        self.counts = [0] * (bins + 1)
        self.n = 0

    def add(self, value):
        i = int(value / self.width)
        self.counts[i if i < len(self.counts) else -1] += 1
        self.n += 1

    def quantile(self, q):
        left = q * self.n
        for i, c in enumerate(self.counts):
            left -= c
            if left <= 0:
                return (i + 0.5) * self.width
        return float("inf")


def simulate(policy, rate, seed):
    rnd = random.Random(seed)
    replicas = [Replica() for _ in range(REPLICAS)]
    latency = Histogram()
    events = [(rnd.expovariate(rate), 0, ARRIVE, -1, 0.0, 0.0)]
    push, pop = heapq.heappush, heapq.heappop
    serial, made = 1, 1
    while events:
        now, _, kind, where, born, need = pop(events)
        if kind == ARRIVE:
            if made < ARRIVALS:
                push(events, (now + rnd.expovariate(rate), serial, ARRIVE, -1, 0.0, 0.0))
                serial += 1
                made += 1
            need = service_time(rnd)
            where = policy(replicas, rnd)
            replica = replicas[where]
            replica.work += need
            if replica.busy < SLOTS:
                replica.busy += 1
                push(events, (now + need, serial, FINISH, where, now, need))
                serial += 1
            else:
                replica.waiting.append((now, need))
        else:
            replica = replicas[where]
            replica.work -= need
            replica.served += 1
            latency.add(now - born)
            if replica.waiting:
                born, need = replica.waiting.popleft()
                push(events, (now + need, serial, FINISH, where, born, need))
                serial += 1
            else:
                replica.busy -= 1
    spread = max(r.served for r in replicas) / min(r.served for r in replicas)
    return latency.quantile(0.5), latency.quantile(0.99), spread


def main():
    start = time.time()
    for name, policy in (("random", pick_random), ("two", pick_two), ("work", pick_least_work)):
        for rate in (70.0, 85.0, 92.0):
            p50, p99, spread = simulate(policy, rate, 17)
            print(
                f"{name:7s} rate {rate:5.1f} p50 {p50:.2f}s p99 {p99:.2f}s spread {spread:.3f} {time.time() - start:.1f}s",
                flush=True,
            )


if __name__ == "__main__":
    main()
