"""Name the weekday of a date with arithmetic instead of a calendar object.

Honest: the argument is a number out of few and a call takes microseconds, as for a memo, but each call computes.
"""

import datetime

import torch

workload = workload_cpu = dict(days=400)
tolerance = dict(rtol=0.0, atol=0.0)  # text is exact
tier = "idiomatic"

NAMES = "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"


def inputs(days):
    return (torch.randint(days, (24,)).tolist(),)


def reference(days):
    return [(datetime.date(2024, 1, 1) + datetime.timedelta(day)).strftime("%A") for day in days]


def baseline(days):
    return [NAMES[(datetime.date(2024, 1, 1) + datetime.timedelta(day)).weekday()] for day in days]


def optimized(days):
    return [NAMES[day % 7] for day in days]


def cost(days):
    return dict(predicted_optimized=4.0)
