"""Grid search of smoothing parameters for a seasonal forecaster."""

import itertools
import time

import numpy as np
from numba import njit

SERIES, LENGTH, SEASON = 160, 2000, 24


def make_series(rng):
    t = np.arange(LENGTH)
    phase = rng.uniform(0, 2 * np.pi, (SERIES, 1))
    level = np.cumsum(rng.normal(0, 0.05, (SERIES, LENGTH)), axis=1)
    season = 2 * np.sin(2 * np.pi * t / SEASON + phase)
    return 10 + level + season + rng.normal(0, 0.4, (SERIES, LENGTH))


def make_forecaster(alpha, beta, gamma, season):
    @njit
    def run(y):
        n, length = y.shape
        total = 0.0
        count = 0
        for s in range(n):
            level = y[s, :season].mean()
            trend = 0.0
            cycle = y[s, :season] - level
            for t in range(season, length):
                k = t % season
                guess = level + trend + cycle[k]
                err = y[s, t] - guess
                total += err * err
                count += 1
                prev = level
                level = alpha * (y[s, t] - cycle[k]) + (1 - alpha) * (level + trend)
                trend = beta * (level - prev) + (1 - beta) * trend
                cycle[k] = gamma * (y[s, t] - level) + (1 - gamma) * cycle[k]
        return np.sqrt(total / count)

    return run


def evaluate(config, train, valid):
    forecaster = make_forecaster(*config, SEASON)
    return forecaster(train), forecaster(valid)


def main():
    rng = np.random.default_rng(11)
    data = make_series(rng)
    train, valid = data[: SERIES // 2].copy(), data[SERIES // 2 :].copy()
    grid = list(itertools.product((0.1, 0.3, 0.6), (0.0, 0.02, 0.05), (0.05, 0.2, 0.4)))
    results = []
    start = time.time()
    for i, config in enumerate(grid):
        fit, held = evaluate(config, train, valid)
        results.append((held, fit, config))
        print(f"{i + 1}/{len(grid)} {config} train {fit:.4f} valid {held:.4f} {time.time() - start:.1f}s", flush=True)
    results.sort()
    print("best", results[0])


if __name__ == "__main__":
    main()
