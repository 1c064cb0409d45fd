"""Normalise images with a partial of a channel table, from a script that sets an environment variable."""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from functools import partial
import numpy as np
import perfproof

MEAN, STD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


def channelwise(img, mean, std):
    out = np.empty(img.shape, dtype=np.float64)
    for c in range(3):
        out[..., c] = (img[..., c] / 255.0 - mean[c]) / std[c]
    return out


def affine(img, mean, std):
    return img * (1 / (255.0 * std)) - mean / std


answer = perfproof.compare(
    partial(channelwise, mean=MEAN, std=STD),
    partial(affine, mean=MEAN, std=STD),
    lambda: np.random.randint(0, 256, (64, 64, 3)),
    effort="quick",
)
print(answer)
print(answer.status)
