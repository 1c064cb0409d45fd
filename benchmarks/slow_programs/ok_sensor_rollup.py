"""Nightly roll-up of sensor readings: per-device statistics, resampling, anomaly scores."""

import time

import numpy as np

DEVICES = 2_000
ROWS_PER_SHARD = 600_000


def read_shards(n, seed=0):
    """Stand-in for the column files written by the collectors."""
    rng = np.random.default_rng(seed)
    for shard in range(n):
        device = rng.integers(0, DEVICES, ROWS_PER_SHARD, dtype=np.int32)
        ts = np.sort(rng.uniform(0, 3600, ROWS_PER_SHARD)) + 3600 * shard
        value = rng.standard_normal(ROWS_PER_SHARD, dtype=np.float32)
        value += np.sin(device * 0.01, dtype=np.float32)
        yield shard, device, ts, value


class Rollup:
    def __init__(self, devices):
        self.count = np.zeros(devices, dtype=np.int64)
        self.total = np.zeros(devices)
        self.square = np.zeros(devices)
        self.low = np.full(devices, np.inf)
        self.high = np.full(devices, -np.inf)

    def update(self, device, value):
        n = len(self.count)
        self.count += np.bincount(device, minlength=n)
        self.total += np.bincount(device, weights=value, minlength=n)
        self.square += np.bincount(device, weights=value * value, minlength=n)
        order = np.argsort(device, kind="stable")
        sorted_values = value[order]
        starts = np.searchsorted(device[order], np.arange(n))
        self.low = np.minimum(self.low, np.minimum.reduceat(sorted_values, starts))
        self.high = np.maximum(self.high, np.maximum.reduceat(sorted_values, starts))
        return order

    def finish(self):
        mean = self.total / np.maximum(self.count, 1)
        var = self.square / np.maximum(self.count, 1) - mean**2
        return mean, np.sqrt(np.maximum(var, 0))


def resample(device, ts, value, shard, bucket=60.0):
    slots = int(3600 / bucket)
    slot = ((ts - 3600 * shard) / bucket).astype(np.int64).clip(0, slots - 1)
    key = device.astype(np.int64) * slots + slot
    total = np.bincount(key, weights=value, minlength=DEVICES * slots)
    count = np.bincount(key, minlength=DEVICES * slots)
    grid = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
    return grid.reshape(DEVICES, slots)


def correlated_devices(grid, top=5):
    z = grid - grid.mean(axis=1, keepdims=True)
    z /= z.std(axis=1, keepdims=True) + 1e-9
    corr = z @ z.T / z.shape[1]
    np.fill_diagonal(corr, -1)
    flat = np.argpartition(corr.ravel(), -top)[-top:]
    return np.stack(np.unravel_index(flat, corr.shape), axis=1)


def anomaly_scores(grid):
    padded = np.cumsum(np.pad(grid, ((0, 0), (1, 0))), axis=1)
    window = 10
    moving = (padded[:, window:] - padded[:, :-window]) / window
    return np.abs(grid[:, window - 1 :] - moving).max(axis=1)


def main(shards=36):
    rollup = Rollup(DEVICES)
    worst = np.zeros(DEVICES)
    pairs = []
    t0 = time.perf_counter()
    for shard, device, ts, value in read_shards(shards):
        rollup.update(device, value)
        grid = resample(device, ts, value, shard)
        worst = np.maximum(worst, anomaly_scores(grid))
        pairs.append(correlated_devices(grid))
        print(f"shard {shard:2d} {(shard + 1) * ROWS_PER_SHARD / (time.perf_counter() - t0):,.0f} rows/s")
    mean, std = rollup.finish()
    print(f"mean {mean.mean():.3f} std {std.mean():.3f} worst device {worst.argmax()}")
    print("pairs", np.concatenate(pairs)[:3].tolist())


if __name__ == "__main__":
    main()
