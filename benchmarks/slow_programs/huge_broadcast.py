import numpy as np


def assign(points, centres):
    difference = points[:, None, :] - centres[None, :, :]
    return (difference**2).sum(axis=-1).argmin(axis=1)


def update(points, labels, k):
    centres = np.zeros((k, points.shape[1]), points.dtype)
    np.add.at(centres, labels, points)
    return centres / np.maximum(np.bincount(labels, minlength=k), 1)[:, None]


def kmeans(points, k, rounds):
    centres = points[:k].copy()
    for _ in range(rounds):
        labels = assign(points, centres)
        centres = update(points, labels, k).astype(points.dtype)
    return centres, labels


rng = np.random.default_rng(0)
data = rng.standard_normal((6000, 64), dtype=np.float32)
centres, labels = kmeans(data, 128, 100)
print(np.bincount(labels).max())
