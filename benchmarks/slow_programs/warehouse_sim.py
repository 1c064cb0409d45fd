"""Discrete event simulation of a warehouse with pickers and packing desks."""

import math
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Event:
    time: float
    action: Callable
    payload: object = None


@dataclass
class Order:
    number: int
    lines: int
    created: float
    picked: float = 0.0
    packed: float = 0.0


@dataclass
class Stats:
    lead_times: list = field(default_factory=list)
    handled: int = 0

    def record(self, order):
        self.lead_times.append(order.packed - order.created)

    def quantile(self, q):
        data = sorted(self.lead_times)
        return data[int(q * (len(data) - 1))] if data else math.nan


class Calendar:
    def __init__(self):
        self.pending = []

    def schedule(self, time, action, payload=None):
        self.pending.append(Event(time, action, payload))
        self.pending.sort(key=lambda e: e.time)

    def next(self):
        return self.pending.pop(0)

    def __len__(self):
        return len(self.pending)


class Warehouse:
    def __init__(self, pickers=60, desks=25, seed=0):
        self.rng = random.Random(seed)
        self.calendar = Calendar()
        self.now = 0.0
        self.idle_pickers = pickers
        self.idle_desks = desks
        self.to_pick = deque()
        self.to_pack = deque()
        self.stats = Stats()
        self.serial = 0

    def announce(self, horizon, rate):
        """Customers book delivery slots ahead, arrivals are known for the whole shift."""
        t = 0.0
        while t < horizon:
            t += self.rng.expovariate(rate)
            self.calendar.pending.append(Event(t, self.arrive))
        print(f"{len(self.calendar)} booked arrivals")

    def arrive(self, _):
        self.serial += 1
        self.to_pick.append(Order(self.serial, self.rng.randint(1, 8), self.now))
        self.dispatch()

    def dispatch(self):
        while self.idle_pickers and self.to_pick:
            order = self.to_pick.popleft()
            self.idle_pickers -= 1
            travel = sum(self.rng.gammavariate(2.0, 0.9) for _ in range(order.lines))
            self.calendar.schedule(self.now + travel, self.picked, order)
        while self.idle_desks and self.to_pack:
            order = self.to_pack.popleft()
            self.idle_desks -= 1
            self.calendar.schedule(self.now + self.rng.lognormvariate(0.8, 0.4), self.packed, order)

    def picked(self, order):
        order.picked = self.now
        self.idle_pickers += 1
        self.to_pack.append(order)
        self.dispatch()

    def packed(self, order):
        order.packed = self.now
        self.idle_desks += 1
        self.stats.record(order)
        self.dispatch()

    def run(self, max_events):
        t0 = time.perf_counter()
        while len(self.calendar) and self.stats.handled < max_events:
            event = self.calendar.next()
            self.now = event.time
            event.action(event.payload)
            self.stats.handled += 1
            if self.stats.handled % 2000 == 0:
                rate = self.stats.handled / (time.perf_counter() - t0)
                print(
                    f"t={self.now:8.1f} events {self.stats.handled} ({rate:.0f}/s) "
                    f"median lead {self.stats.quantile(0.5):.2f}"
                )


if __name__ == "__main__":
    house = Warehouse()
    house.announce(horizon=2200, rate=7.0)
    house.run(max_events=14_000)
    print(f"p95 lead {house.stats.quantile(0.95):.2f} min, {len(house.stats.lead_times)} orders")
