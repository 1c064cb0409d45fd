"""Statistics per pixel over a stack of frames."""

import numpy as np

frames = np.random.default_rng(0).random((3_000, 10_000), dtype=np.float32)


def robust(values):
    low, high = values.min(), values.max()
    middle = values[(values > low) & (values < high)]
    return middle.mean(), middle.var()


means, spreads = np.empty(frames.shape[1]), np.empty(frames.shape[1])
for sweep in range(2):
    for pixel in range(frames.shape[1]):
        means[pixel], spreads[pixel] = robust(frames[:, pixel])
print(means.mean(), spreads.mean())
