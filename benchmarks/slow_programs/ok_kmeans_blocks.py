import numpy as np


def assign(points, centres):
    distance = centres @ points.T
    distance *= -2
    distance += (centres**2).sum(1)[:, None]
    return distance.argmin(0)


def kmeans(points, k, rounds):
    centres = points[:k].copy()
    for _ in range(rounds):
        labels = np.concatenate([assign(block, centres) for block in np.array_split(points, 20)])
        order = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[order], np.arange(k))
        sums = np.add.reduceat(points[order], np.minimum(starts, len(points) - 1))
        centres = sums / np.maximum(np.bincount(labels, minlength=k), 1)[:, None].astype(np.float32)
    return labels


rng = np.random.default_rng(0)
print(np.bincount(kmeans(rng.standard_normal((80_000, 192), dtype=np.float32), 400, 14)).max())
