"""Gamma-correct a camera frame in place with a table of 256 entries."""

import random

import numpy as np

mutates = ("frame",)
domain = dict(gamma=(1.0, 3.0))  # display gammas


def inputs():
    h, w = 480, 640
    ramp = np.linspace(20, 200, w)[None, :, None] + np.random.randn(h, w, 3) * 25
    return np.clip(ramp, 0, 255).astype(np.uint8), random.uniform(1.8, 2.6)


def baseline(frame, gamma):
    frame[...] = np.round(255.0 * (frame / 255.0) ** (1.0 / gamma)).astype(np.uint8)


def optimized(frame, gamma):
    lut = np.round(255.0 * (np.arange(256) / 255.0) ** (1.0 / gamma)).astype(np.uint8)
    frame[...] = lut[frame]
