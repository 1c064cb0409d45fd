"""Arguments that were given as values instead of a function that draws them.

Every call must see values that it could not know before. Floating-point tensors and arrays are therefore drawn anew,
with replacement, from the numbers that were given: shape, type, range and distribution stay as they are. Everything
else is copied: an integer may be an index or a size, and another one may make no sense.
"""

import sys
from typing import Any

from perfproof.core.trees import clone, is_array, is_tensor, whole

LEAST_BYTES = 2  # per element: torch cannot index narrower floating-point types


class GivenValues:
    """A function without arguments, as `inputs` is, that returns the values of one call."""

    def __init__(self, values: tuple) -> None:
        self.values = values
        self.drawn = tuple(any(_is_drawn(leaf) for _, leaf in whole(value)) for value in values)  # by argument

    def __call__(self) -> tuple:
        values = clone(self.values)
        for _, leaf in whole(values):
            if _is_drawn(leaf):
                _draw_into(leaf)
        return values

    @property
    def is_fixed(self) -> bool:
        """Does every call get the same values?"""
        return not any(self.drawn)


def _is_drawn(leaf: Any) -> bool:
    """Floating-point numbers in memory that are not all alike."""
    if is_tensor(leaf):
        torch = sys.modules["torch"]
        plain = type(leaf) in (torch.Tensor, torch.nn.Parameter) and leaf.layout == torch.strided
        if not plain or leaf.numel() < 2 or leaf.element_size() < LEAST_BYTES:
            return False
        return (leaf.is_floating_point() or leaf.is_complex()) and bool((leaf != leaf.reshape(-1)[0]).any())
    if is_array(leaf):
        return leaf.dtype.kind in "fc" and leaf.size > 1 and bool((leaf != leaf.flat[0]).any())
    return False


def _draw_into(leaf: Any) -> None:
    """Replace the numbers of a tensor or an array by a sample of them; torch's and NumPy's generators are seeded."""
    if is_tensor(leaf):
        torch = sys.modules["torch"]
        with torch.no_grad():
            numbers = leaf.detach().reshape(-1)
            places = torch.randint(len(numbers), (len(numbers),), device=leaf.device)
            leaf.copy_(numbers[places].reshape(leaf.shape))
    else:
        places = sys.modules["numpy"].random.randint(leaf.size, size=leaf.size)
        leaf[...] = leaf.reshape(-1)[places].reshape(leaf.shape)
