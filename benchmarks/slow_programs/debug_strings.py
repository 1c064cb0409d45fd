"""Simulate a supply chain; the details go to the debug log."""

import logging
import random

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("chain")
random.seed(0)


class Depot:
    def __init__(self, name):
        self.name, self.stock = name, {f"item{i}": random.randint(0, 9) for i in range(200)}

    def __repr__(self):
        return f"Depot({self.name}, {self.stock})"


depots = [Depot(f"d{i}") for i in range(10)]
for day in range(4_000):
    sender, receiver = random.sample(depots, 2)
    item = f"item{random.randrange(200)}"
    log.debug(f"day {day}: {sender} sends {item} to {receiver}, all depots {depots}")
    sender.stock[item] -= 1
    receiver.stock[item] += 1
log.info("done: %s", sum(depot.stock["item0"] for depot in depots))
