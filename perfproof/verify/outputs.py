"""What a result may be: plain, finished, in memory of its own. How memory is poisoned so that nothing stale passes."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy
import torch

from perfproof.core.trees import is_array, is_tensor, leaves

Layout = list[tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...], bool]]
PLAIN = (bool, int, float, complex, str, bytes, bytearray, type(None))
_equal, _Tensor, _Parameter, _Module = torch.equal, torch.Tensor, torch.nn.Parameter, torch.nn.Module


def kind_problem(output: Any, device: str) -> str:
    """A lazy tensor, a subclass or a tensor elsewhere would be computed after the clock has stopped."""
    for container in _containers(output):
        if not _is_plain_container(container):
            kind = type(container).__name__
            return f"the result holds a {kind}, which finds its parts by code of its own: return a plain one"
    for path, leaf in leaves(output):
        where = f"part {'.'.join(path)} of the result" if path else "the result"
        if isinstance(leaf, _Tensor):
            if type(leaf) is not _Tensor and type(leaf) is not _Parameter:
                return f"{where} is a {type(leaf).__name__}, not a plain torch.Tensor: compute it before returning"
            if leaf.layout != torch.strided or leaf.is_meta:
                return f"{where} is not a dense tensor with storage: return strided memory"
        elif isinstance(leaf, numpy.ndarray):
            if type(leaf) is not numpy.ndarray and type(leaf) is not numpy.memmap:
                return f"{where} is a {type(leaf).__name__}, not a plain numpy.ndarray: compute it before returning"
        elif not (type(leaf) in PLAIN or (isinstance(leaf, numpy.generic) and type(leaf).__module__ == "numpy")):
            plain = "tensors, arrays, numbers, strings, or tuples, lists and dicts of them"
            return f"{where} is a {type(leaf).__name__}: return {plain}"
    return ""


def type_problem(output: Any, baseline_output: Any) -> str:
    """A variant has to return what the baseline returns: same parts, same types."""
    ours, theirs = _signature(output), _signature(baseline_output)
    if ours == theirs:
        return ""
    return f"returns {_describe(ours)}, the baseline {_describe(theirs)}"


def layout_of(output: Any) -> Layout:
    """For each part with memory: its path, shape, strides in elements, and whether it is contiguous.

    The stride of an axis of size one means nothing.
    """
    found = []
    for path, leaf in leaves(output):
        if is_tensor(leaf) or is_array(leaf):
            strides = leaf.stride() if is_tensor(leaf) else [step // leaf.itemsize for step in leaf.strides]
            steps = tuple(step for step, count in zip(strides, leaf.shape, strict=True) if count > 1)
            plain = leaf.is_contiguous() if is_tensor(leaf) else leaf.flags.c_contiguous
            found.append((path, tuple(leaf.shape), steps, plain))
    return found


def layout_problem(output: Layout, baseline: Layout) -> str:
    """A view with strides leaves work to what reads it next; plain contiguous memory never does."""
    for (path, shape, found, plain), (_, their_shape, wanted, _) in zip(output, baseline, strict=False):
        if not plain and shape == their_shape and found != wanted:
            where = f"part {'.'.join(path)} of the result" if path else "the result"
            remedy = 'return it contiguous, or declare layout = "any" with the reason in a comment'
            return f"{where} has the strides {found}, the baseline's {wanted}: {remedy}"
    return ""


def alias_problem(output: Any, arguments: tuple, names: tuple[str, ...], mutates: tuple[str, ...]) -> str:
    """A result that lives in an argument's memory is not a result, unless the pair says that argument is changed."""
    owned = [
        (name, extent)
        for name, argument in zip(names, arguments, strict=True)
        if name not in mutates
        for extent in _extents(argument)
    ]
    for start, stop in _extents(output):
        for name, (first, last) in owned:
            if start < last and first < stop:
                return f"the result shares memory with the argument `{name}`: return memory of its own"
    return ""


def changed_problem(before: tuple, after: tuple, names: tuple[str, ...], mutates: tuple[str, ...]) -> str:
    for name, old, new in zip(names, before, after, strict=True):
        if name not in mutates and not same_bits(old, new):
            return f"changes its argument `{name}`: work on a copy, or name it in `mutates`"
    return ""


def same_bits(first: Any, second: Any) -> bool:
    """Equal to the last bit, NaN included."""
    ours, theirs = list(leaves(first)), list(leaves(second))
    if len(ours) != len(theirs):
        return False
    return all(_same_leaf(a, b) for (_, a), (_, b) in zip(ours, theirs, strict=True))


def poison(value: Any) -> None:
    """Overwrite the memory of a result with what no right answer holds."""
    with torch.no_grad():
        for _, leaf in leaves(value):
            if is_tensor(leaf) and not leaf.is_inference():
                _poison_tensor(leaf)
            elif is_array(leaf) and leaf.flags.writeable and leaf.dtype.kind in "fc":
                leaf.fill(numpy.nan)
            elif is_array(leaf) and leaf.flags.writeable and leaf.dtype.kind in "iu":
                leaf.fill(0x55)


def scrub_allocator(example: Any) -> None:
    """Fill free blocks of the sizes that a result takes, so that memory that is returned unwritten is seen."""
    blocks = [torch.empty_like(leaf) for _, leaf in leaves(example) if is_tensor(leaf) for _ in range(3)]
    poison(blocks)
    arrays = [numpy.empty_like(leaf) for _, leaf in leaves(example) if is_array(leaf) for _ in range(3)]
    poison(arrays)


def _poison_tensor(leaf: torch.Tensor) -> None:
    if leaf.is_floating_point() or leaf.is_complex():
        leaf.detach().fill_(float("nan"))
    elif leaf.dtype != torch.bool:
        leaf.fill_(0x55)


def _same_leaf(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if is_tensor(a) and is_tensor(b):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        a, b = a.detach(), b.detach()
        if a.layout != torch.strided:
            return a.layout == b.layout and _same_leaf(a.to_dense(), b.to_dense())
        if _equal(a, b):
            return True
        return a.is_floating_point() and bool(torch.all((a == b) | (torch.isnan(a) & torch.isnan(b))))
    if is_array(a) and is_array(b):
        return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return type(a) is type(b) and bool(a == b or a != a)


def _extents(value: Any) -> Iterator[tuple[int, int]]:
    """The memory that the parts of a value lie in: first address and one past the last, of all that is shared."""
    for _, leaf in leaves(value):
        if is_tensor(leaf) and leaf.layout == torch.strided and leaf.numel():
            storage = leaf.untyped_storage()
            yield storage.data_ptr(), storage.data_ptr() + storage.nbytes()
        elif is_array(leaf) and leaf.size:
            owner = leaf
            while isinstance(owner.base, numpy.ndarray):
                owner = owner.base
            reach = [(count - 1) * stride for count, stride in zip(owner.shape, owner.strides, strict=True)]
            first, last = (sum(step for step in reach if step * sign > 0) for sign in (-1, 1))
            yield owner.ctypes.data + first, owner.ctypes.data + last + owner.itemsize


def _containers(value: Any) -> Iterator[Any]:
    """Everything that holds other things, the outer before the inner; what is not plain is not entered."""
    yield value
    if isinstance(value, (dict, tuple, list)) and _is_plain_container(value):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _containers(item)


def _is_plain_container(value: Any) -> bool:
    """Named tuples are plain; a list that computes its items when it is gone through is not."""
    kind = type(value)
    if isinstance(value, _Module):
        return kind.named_parameters is _Module.named_parameters and kind.named_buffers is _Module.named_buffers
    if isinstance(value, dict):
        return kind is OrderedDict or (kind.items is dict.items and kind.values is dict.values)
    if isinstance(value, (tuple, list)):
        return kind.__iter__ is (tuple if isinstance(value, tuple) else list).__iter__
    return True


def _signature(output: Any) -> tuple:
    return tuple((path, _leaf_type(leaf)) for path, leaf in leaves(output))


def _leaf_type(leaf: Any) -> str:
    if is_tensor(leaf):
        return f"{leaf.dtype} on {leaf.device.type}".removeprefix("torch.")
    return f"{leaf.dtype} array" if is_array(leaf) else type(leaf).__name__


def _describe(signature: tuple) -> str:
    parts = [f"{'.'.join(path)} {kind}".strip() for path, kind in signature]
    return ", ".join(parts[:4]) + (", ..." if len(parts) > 4 else "") or "nothing"
