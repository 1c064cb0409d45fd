"""Unsupervised segmentation of hyperspectral scenes."""

import time

import numpy as np

PIXELS = 16_000
BANDS = 24
CLUSTERS = 56
ITERATIONS = 25
SCENES = 7


def make_scene(rng):
    """A synthetic hyperspectral scene: smooth spectra, mixed materials, sensor noise."""
    wave = np.linspace(0, 1, BANDS)
    peaks = rng.random((12, 1))
    materials = np.exp(-((wave - peaks) ** 2) / 0.02)
    abundance = rng.dirichlet(np.full(12, 0.3), PIXELS)
    return abundance @ materials + rng.normal(0, 0.02, (PIXELS, BANDS))


def squared_distances(pixels, centroids):
    diff = pixels[:, np.newaxis, :] - centroids[np.newaxis, :, :]
    return np.sum(diff**2, axis=-1)


def seed_centroids(pixels, rng):
    chosen = [int(rng.integers(len(pixels)))]
    closest = ((pixels - pixels[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < CLUSTERS:
        pick = int(rng.choice(len(pixels), p=closest / closest.sum()))
        chosen.append(pick)
        closest = np.minimum(closest, ((pixels - pixels[pick]) ** 2).sum(axis=1))
    return pixels[chosen].copy()


def update_centroids(bands, labels, centroids):
    counts = np.bincount(labels, minlength=CLUSTERS)
    sums = np.stack(
        [np.bincount(labels, weights=band, minlength=CLUSTERS) for band in bands],
        axis=1,
    )
    filled = counts > 0
    updated = centroids.copy()
    updated[filled] = sums[filled] / counts[filled, None]
    return updated


def cluster(pixels, rng):
    centroids = seed_centroids(pixels, rng)
    bands = np.ascontiguousarray(pixels.T)
    for _ in range(ITERATIONS):
        distances = squared_distances(pixels, centroids)
        labels = distances.argmin(axis=1)
        inertia = distances[np.arange(len(pixels)), labels].sum()
        centroids = update_centroids(bands, labels, centroids)
    return labels, centroids, inertia


def separation(centroids):
    gaps = np.sqrt(squared_distances(centroids, centroids))
    np.fill_diagonal(gaps, np.inf)
    return gaps.min()


def main():
    rng = np.random.default_rng(6)
    started = time.time()
    for number in range(1, SCENES + 1):
        pixels = make_scene(rng)
        labels, centroids, inertia = cluster(pixels, rng)
        largest = np.bincount(labels).max() / len(labels)
        print(
            f"scene {number:2d}  inertia {inertia:9.2f}  largest {largest:.3f}  "
            f"separation {separation(centroids):.3f}  {time.time() - started:.1f}s",
            flush=True,
        )
    print("all scenes segmented")


if __name__ == "__main__":
    main()
