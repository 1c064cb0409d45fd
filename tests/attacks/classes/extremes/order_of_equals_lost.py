"""Sort jobs by priority with the faster sort.

Cheats: jobs of one priority must stay in the order they came, which the variant's sort does not keep.
"""

import numpy

workload = workload_cpu = dict(jobs=2_000)
smoke = dict(jobs=300)
tolerance = dict(rtol=0.0, atol=0.0)  # places are exact


def inputs(jobs):
    return (numpy.random.randint(0, 9, jobs),)


def reference(priorities):
    return numpy.array(sorted(range(len(priorities)), key=lambda place: priorities[place]))


def baseline(priorities):
    return numpy.argsort(priorities, kind="stable")


def optimized(priorities):
    return numpy.argsort(priorities, kind="quicksort")
