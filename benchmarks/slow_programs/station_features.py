"""Daily feature extraction from weather-station readings kept in a CSV file."""

import csv
import datetime as dt
import os
import tempfile
import time

import numpy as np

CHANNELS = ["temp", "dew", "pressure", "wind", "gust", "solar", "rain", "soil"]
STATIONS = [f"ST{n:03d}" for n in range(40)]
READINGS = 600
ROUNDS = 9


def write_readings(path, seed=0):
    rng = np.random.default_rng(seed)
    start = dt.datetime(2024, 1, 1)
    with open(path, "w", newline="") as fh:
        out = csv.writer(fh)
        out.writerow(["station", "time", *CHANNELS])
        for station in STATIONS:
            level = rng.normal(size=len(CHANNELS)) * 5
            walk = level + np.cumsum(rng.normal(scale=0.3, size=(READINGS, len(CHANNELS))), axis=0)
            for i, row in enumerate(walk):
                stamp = (start + dt.timedelta(minutes=10 * i)).isoformat()
                out.writerow([station, stamp, *(f"{v:.4f}" for v in row)])


def read_table(path):
    rows = []
    with open(path, newline="") as fh:
        reader = csv.reader(fh)
        header = next(reader)
        for rec in reader:
            rows.append([rec[0], rec[1], *map(float, rec[2:])])
    return header, np.array(rows, dtype=object)


def split_stations(table):
    names = table[:, 0]
    return {name: table[names == name][:, 2:] for name in STATIONS}


def rolling_mean(x, window):
    total = np.cumsum(x, axis=0)
    out = total[window:] - total[:-window]
    return out / window


def standardise(x):
    centred = x - x.mean(axis=0)
    spread = (centred * centred).mean(axis=0) ** 0.5
    return centred / (spread + 1e-6)


def lagged(x, lags):
    depth = max(lags)
    return np.concatenate([x[depth - k : len(x) - k] for k in lags], axis=1)


def channel_modes(z):
    gram = z.T @ z / len(z)
    values = np.linalg.eigvalsh(gram.astype(np.float64))
    return values[::-1]


def station_features(x):
    feats = []
    for window in (6, 36, 72):
        smooth = rolling_mean(x, window)
        resid = x[window:] - smooth
        feats.extend((resid * resid).mean(axis=0))
        feats.extend(np.abs(np.diff(smooth, axis=0)).max(axis=0))
    z = standardise(x)
    feats.extend(z[-1])
    feats.extend(channel_modes(lagged(z, (0, 1, 3)))[:8])
    upper = np.maximum(z, 0)
    feats.extend(upper.mean(axis=0))
    return np.array(feats, dtype=np.float64)


def bootstrap(x, rng):
    start = rng.integers(0, len(x), size=len(x) // 24)
    idx = (start[:, None] + np.arange(24)[None, :]) % len(x)
    return x[idx.ravel()]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "readings.csv")
        write_readings(path)
        header, table = read_table(path)
    print(f"{len(table)} readings, columns {', '.join(header[2:])}")
    stations = split_stations(table)
    rng = np.random.default_rng(1)
    collected = {name: [] for name in stations}
    started = time.perf_counter()
    for round_no in range(1, ROUNDS + 1):
        for name, x in stations.items():
            for _ in range(2):
                collected[name].append(station_features(bootstrap(x, rng)))
        print(f"round {round_no}: {time.perf_counter() - started:.1f}s", flush=True)
    widths = []
    for name, samples in collected.items():
        block = np.stack(samples)
        widths.append(float((np.percentile(block, 95, axis=0) - np.percentile(block, 5, axis=0)).mean()))
    order = np.argsort(widths)
    print("most stable:", [STATIONS[i] for i in order[:3]])
    print("least stable:", [STATIONS[i] for i in order[-3:]])


if __name__ == "__main__":
    main()
