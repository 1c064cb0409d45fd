import math
import random
import statistics

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def inputs(days=500):
    price, prices = random.uniform(20, 200), []
    for _ in range(days):
        price *= math.exp(random.gauss(0.0003, 0.015))
        prices.append(price)
    return prices


def baseline(prices, window=20, width=2.0):
    middle, upper, lower = [], [], []
    for i in range(window, len(prices) + 1):
        last = prices[i - window : i]
        mean = statistics.fmean(last)
        spread = statistics.pstdev(last)
        middle.append(mean)
        upper.append(mean + width * spread)
        lower.append(mean - width * spread)
    return {"middle": middle, "upper": upper, "lower": lower}


def optimized(prices, window=20, width=2.0):
    last = sliding_window_view(np.asarray(prices), window)
    mean = last.mean(axis=1)
    spread = last.std(axis=1)
    return {
        "middle": mean.tolist(),
        "upper": (mean + width * spread).tolist(),
        "lower": (mean - width * spread).tolist(),
    }
