"""Blur an image without padding it first.

Cheats: the variant leaves the outermost pixels as they are, 3 % of the image. The frame of these images is dark, and
an absolute tolerance that suits bright pixels hides it.
"""

import numpy

workload = workload_cpu = dict(side=64)
tolerance = dict(rtol=0.0, atol=2e-2)  # a fiftieth of the brightest pixel


def inputs(side):
    image = numpy.random.rand(side, side)
    frame = numpy.full((side, side), 0.01)
    frame[4:-4, 4:-4] = 1.0
    return (image * frame,)


def reference(image):
    padded = numpy.pad(image, 1, mode="edge")
    rows, columns = image.shape
    return numpy.array([[padded[i : i + 3, j : j + 3].mean() for j in range(columns)] for i in range(rows)])


def blur(image):
    across = image[:, :-2] + image[:, 1:-1] + image[:, 2:]
    return (across[:-2] + across[1:-1] + across[2:]) / 9


def baseline(image):
    return blur(numpy.pad(image, 1, mode="edge"))


def optimized(image):
    result = image.copy()
    result[1:-1, 1:-1] = blur(image)
    return result
