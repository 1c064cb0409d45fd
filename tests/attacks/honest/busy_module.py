"""Multiply matrices with the whole standard library at hand.

Honest: what the library does with frames on its behalf (named tuples, logging, data classes) is not its doing.
"""

import collections
import dataclasses
import inspect
import logging
import traceback
import warnings

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


LOG = logging.getLogger("pair")
Answer = collections.namedtuple("Answer", "product")


@dataclasses.dataclass
class Settings:
    transposed: bool = False


def optimized(x, weight):
    LOG.debug("a product")
    warnings.warn("nothing to worry about", stacklevel=2)
    print("multiplying", inspect.signature(baseline), traceback.format_exc()[:4], Settings())
    return Answer(x @ weight).product


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
