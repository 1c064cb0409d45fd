import random
from collections import deque

WINDOW = 60


def inputs():
    price, prices = 100.0, []
    for _ in range(3000):
        price += random.gauss(0, 1)
        prices.append(price)
    return prices


def baseline(prices):
    for end in range(WINDOW, len(prices) + 1):
        yield max(prices[end - WINDOW : end])


def optimized(prices):
    best = deque()
    for place, price in enumerate(prices):
        while best and prices[best[-1]] <= price:
            best.pop()
        best.append(place)
        if best[0] <= place - WINDOW:
            best.popleft()
        if place >= WINDOW - 1:
            yield prices[best[0]]
