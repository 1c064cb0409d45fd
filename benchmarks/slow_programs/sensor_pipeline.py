"""Three-stage processing of lidar sweeps: acquire, register, map, each on its own thread."""

import threading
import time
from collections import deque

import numpy as np

BEAMS = 1440
SWEEPS = 700
GRID = 160
CELL = 0.25


class Channel:
    """Hands one item at a time from a stage to the next."""

    def __init__(self, capacity=1):
        self.items = deque()
        self.capacity = capacity
        self.lock = threading.Lock()

    def put(self, item):
        while True:
            with self.lock:
                if len(self.items) < self.capacity:
                    self.items.append(item)
                    return
            time.sleep(0.02)

    def get(self):
        while True:
            with self.lock:
                if self.items:
                    return self.items.popleft()
            time.sleep(0.02)


class Lidar:
    def __init__(self, seed=2):
        self.rng = np.random.default_rng(seed)
        self.angles = np.linspace(-np.pi, np.pi, BEAMS, endpoint=False)

    def sweep(self, index):
        heading = 0.01 * index
        walls = 8 + 2 * np.cos(4 * (self.angles + heading))
        ranges = walls + self.rng.normal(0, 0.03, BEAMS)
        return np.stack([ranges * np.cos(self.angles), ranges * np.sin(self.angles)], axis=1)


def align(points, reference, rounds=3):
    """Rigid alignment of a sweep to the previous one, by beam correspondence."""
    for _ in range(rounds):
        a = points - points.mean(axis=0)
        b = reference - reference.mean(axis=0)
        u, _, vt = np.linalg.svd(a.T @ b)
        points = a @ (u @ vt) + reference.mean(axis=0)
    return points


class OccupancyMap:
    def __init__(self):
        self.hits = np.zeros((GRID, GRID), dtype=np.int64)

    def insert(self, points):
        cells = np.floor(points / CELL).astype(int) + GRID // 2
        inside = ((cells >= 0) & (cells < GRID)).all(axis=1)
        np.add.at(self.hits, (cells[inside, 0], cells[inside, 1]), 1)


def acquire(lidar, outbox):
    for index in range(SWEEPS):
        outbox.put((index, lidar.sweep(index)))
    outbox.put(None)


def register(inbox, outbox):
    reference = None
    while (item := inbox.get()) is not None:
        index, points = item
        if reference is not None:
            points = align(points, reference)
        reference = points
        outbox.put((index, points))
    outbox.put(None)


def build_map(inbox, grid):
    started = time.time()
    while (item := inbox.get()) is not None:
        index, points = item
        grid.insert(points)
        if (index + 1) % 100 == 0:
            rate = (index + 1) / (time.time() - started)
            print(f"sweep {index + 1:4d}  occupied {(grid.hits > 0).sum():5d}  {rate:.1f} sweeps/s", flush=True)


def main():
    raw, aligned = Channel(), Channel()
    grid = OccupancyMap()
    stages = [
        threading.Thread(target=acquire, args=(Lidar(), raw), name="acquire"),
        threading.Thread(target=register, args=(raw, aligned), name="register"),
        threading.Thread(target=build_map, args=(aligned, grid), name="map"),
    ]
    for stage in stages:
        stage.start()
    for stage in stages:
        stage.join()
    print("map total hits", int(grid.hits.sum()))


if __name__ == "__main__":
    main()
