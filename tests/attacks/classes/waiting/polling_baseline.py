"""Wait for a worker by joining it instead of polling.

Cheats: the baseline looks every 3 ms for what takes 0.3 ms. What is measured is the interval that it polls at.
"""

import threading
import time

import torch

workload = workload_cpu = dict(numbers=2_000)
tolerance = dict(rtol=0.0, atol=0.0)  # integers are exact
tier = "idiomatic"


def inputs(numbers):
    return (torch.randint(1_000_000, (numbers,)).tolist(),)


def reference(numbers):
    return sorted(numbers)


def started(numbers):
    answer = []
    worker = threading.Thread(target=lambda: answer.extend(sorted(numbers)))
    worker.start()
    return worker, answer


def baseline(numbers):
    worker, answer = started(numbers)
    time.sleep(0.003)
    while worker.is_alive():
        time.sleep(0.003)
    worker.join()
    return answer


def optimized(numbers):
    worker, answer = started(numbers)
    worker.join()
    return answer


def cost(numbers):
    return dict(predicted_optimized=5.0)
