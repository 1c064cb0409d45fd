"""Multiply matrices with the whole standard library at hand.

Honest: what the library does with frames on its behalf (named tuples, logging, data classes) is not its doing.
"""

import collections
import dataclasses
import inspect
import logging
import traceback
import warnings

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


LOG = logging.getLogger("pair")
Answer = collections.namedtuple("Answer", "product")


@dataclasses.dataclass
class Settings:
    transposed: bool = False


def optimized(x, weight):
    LOG.debug("a product")
    warnings.warn("nothing to worry about", stacklevel=2)
    print("multiplying", inspect.signature(optimized), traceback.format_exc()[:4], Settings())
    return Answer(x @ weight).product
