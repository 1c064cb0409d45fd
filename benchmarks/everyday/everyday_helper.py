"""What the sides of b29_shared_helper.py share."""

import numpy as np


def hann(length):
    """The Hann window: 0 at both ends, 1 in the middle."""
    return 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(length) / (length - 1))
