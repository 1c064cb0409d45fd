"""What a result may be: plain, finished, in memory of its own. How memory is poisoned so that nothing stale passes."""

import dataclasses
import inspect
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from enum import Enum
from types import MemberDescriptorType
from typing import Any, NamedTuple

import numpy
import torch

from perfproof.core.foreign import foreign_parts, is_exact, is_known_tensor, is_nested, is_sparse, sparse_entries
from perfproof.core.generators import is_generator
from perfproof.core.objects import is_object
from perfproof.core.trees import (
    CONTAINERS,
    PLAIN,
    WRITTEN,
    as_bytes,
    buffers,
    canonical,
    clone,
    is_array,
    is_ordered,
    is_plain,
    is_record,
    is_stateful,
    is_tensor,
    items_of,
    leaves,
    settings,
    special,
    special_leaves,
    whole,
)
from perfproof.worker.verify.compare import same_items
from perfproof.worker.verify.many_alike import MANY
from perfproof.worker.verify.numbers import is_dense
from perfproof.worker.verify.places import argument_place, place

Layout = list["Form"]
KNOWN = "tensors, arrays, frames, numbers, dates, text, or tuples, lists, sets, dicts and dataclasses of them"
_is_lazy_copy: Any = getattr(torch._C, "_is_cow_tensor", lambda leaf: False)  # newer than some versions of torch
_equal, _Tensor, _Parameter, _Module = torch.equal, torch.Tensor, torch.nn.Parameter, torch.nn.Module
_any, _ne, _stack = torch.any, torch.ne, torch.stack


def kind_problem(output: Any, device: str) -> str:
    """A lazy tensor, a subclass or a tensor elsewhere would be computed after the clock has stopped."""
    if is_plain(output):
        return ""
    for container in _containers(output):
        if is_object(container):
            kind = type(container).__name__
            return f"the result holds a {kind}, whose class may compute what is read: return {KNOWN}"
        if not _is_plain_container(container):
            kind = type(container).__name__
            return f"the result holds a {kind}, which finds its parts by code of its own: return a plain one"
    for path, leaf in leaves(output):
        problem = "" if type(leaf) in PLAIN else _leaf_problem(leaf)
        if problem:
            return f"{_place(output, path)} {problem}"
    return ""


def _leaf_problem(leaf: Any) -> str:
    kind = type(leaf)
    if isinstance(leaf, _Tensor):
        if kind is not _Tensor and kind is not _Parameter:
            return f"is a {kind.__name__}, not a plain torch.Tensor: compute it before returning"
        if _is_lazy_copy(leaf):
            return "is a lazy copy, made when it is first written: return memory of its own"
        return "is a meta tensor, which has no values: return memory" if leaf.is_meta else ""
    if isinstance(leaf, numpy.ndarray):
        if kind not in (numpy.ndarray, numpy.memmap, numpy.ma.MaskedArray):
            return f"is a {kind.__name__}, not a plain numpy.ndarray: compute it before returning"
        return ""
    if kind in (set, frozenset):
        return next((f"holds an item that {problem}" for problem in map(_item_problem, leaf) if problem), "")
    if isinstance(leaf, Iterator):
        return f"is a {kind.__name__}, whose items are computed after the call: return a list"
    own = isinstance(leaf, numpy.generic) and kind.__module__ in ("numpy", "ml_dtypes")
    if kind in PLAIN or is_exact(leaf) or isinstance(leaf, Enum) or own or kind is range:
        return ""
    return f"is a {kind.__name__}: return {_plain_form(leaf) or KNOWN}"


def _plain_form(leaf: Any) -> str:
    """How a value of a foreign type becomes one that can be compared, if its type offers a way."""
    if hasattr(type(leaf), "__dataframe__"):
        return "a frame of pandas, polars or PyArrow made of it"
    return "numpy.asarray of it" if hasattr(type(leaf), "__array__") else ""


def _item_problem(item: Any) -> str:
    """Items of a set are found by their hash: one that is a tensor is equal to nothing but itself."""
    for _, leaf in whole(item):
        problem = "is a tensor: return a list of them" if is_tensor(leaf) else _leaf_problem(leaf)
        if problem:
            return problem
    return ""


def argument_problem(arguments: tuple, names: tuple[str, ...]) -> str:
    """What `inputs` returns must have copies that are equal to it: each side gets one, and must leave it as it is."""
    for name, value in zip(names, arguments, strict=True):
        for path, leaf in special(value):
            if is_tensor(leaf) and not is_known_tensor(leaf):
                said = ": pass a plain torch.Tensor"
            elif not (is_dense(leaf) or _has_equal_copies(leaf)):
                said = f", which cannot be copied and compared: pass {_plain_form(leaf) or KNOWN}"
            else:
                continue
            return f"{argument_place(name, value, path)} is a {type(leaf).__name__}{said}"
    return ""


def _has_equal_copies(leaf: Any) -> bool:
    try:
        return same_bits(leaf, clone(leaf))
    except Exception:  # whatever the type raises: the problem is told in our words
        return False


def _place(output: Any, path: tuple[str, ...]) -> str:
    return f"{place(output, path)} of the result" if path else "the result"


def type_problem(output: Any, baseline_output: Any) -> str:
    """A variant has to return what the baseline returns: same parts, same types."""
    ours, theirs = _signature(output), _signature(baseline_output)
    if ours == theirs:
        return _container_problem(output, output, baseline_output)
    apart = {path for path, _ in {*ours} ^ {*theirs}} if len(ours) == len(theirs) else set()
    told = [
        _describe(value, [one for one in side if not apart or one[0] in apart])
        for value, side in ((output, ours), (baseline_output, theirs))
    ]
    return f"returns {told[0]}, the baseline returns {told[1]}: let both return the same type"


def _container_problem(output: Any, ours: Any, theirs: Any, path: tuple[str, ...] = ()) -> str:
    """Results, or what is at a path in them, have the same parts: is one a dict and the other none, or are their keys
    of other types?
    """
    if (items := items_of(ours)) is None or type(ours) in PLAIN:
        return ""
    kinds = [_container_kind(value) for value in (ours, theirs)]
    if kinds[0] != kinds[1]:
        return f"{_place(output, path)} is {kinds[0]}, the baseline's {kinds[1]}"
    beside = dict(items_of(theirs) or ())
    found = (
        _container_problem(output, item, beside[name], (*path, name)) for name, item in items if type(item) not in PLAIN
    )
    return next(filter(None, found), "")


def _container_kind(value: Any) -> str:
    if isinstance(value, dict):
        keys = sorted({_leaf_type(key) for key in {type(key): key for key in value}.values()})
        return f"a dict with keys of the type {' and '.join(keys)}" if keys else "an empty dict"
    return "a dataclass" if is_record(value) else "a list or tuple"


class Form(NamedTuple):
    """How one part of a result lies in memory."""

    place: str  # if it is not plain
    shape: tuple[int, ...]
    kept: str  # in words
    plain: bool  # nothing is left to do for what reads it
    differentiable: bool


def layout_of(output: Any) -> Layout:
    """The form of each part with memory. The stride of an axis of size one means nothing."""
    found = []
    for path, leaf in whole(output):
        differentiable = is_tensor(leaf) and leaf.requires_grad
        if is_sparse(leaf):
            summed = _is_summed(leaf)
            form = f"values of equal indices {'summed' if summed else 'not summed (coalesced)'}"
            where = "" if summed else _place(output, path)
            found.append(Form(where, tuple(leaf.shape), form, summed, differentiable))
        elif is_array(leaf) or is_dense(leaf):
            strides = leaf.stride() if is_tensor(leaf) else [step // leaf.itemsize for step in leaf.strides]
            steps = tuple(step for step, count in zip(strides, leaf.shape, strict=True) if count > 1)
            plain = leaf.is_contiguous() if is_tensor(leaf) else leaf.flags.c_contiguous
            later = is_tensor(leaf) and (leaf.is_conj() or leaf.is_neg())
            form = f"the strides {steps}{', and signs that change when it is read' if later else ''}"
            plain = plain and not later
            where = "" if plain else _place(output, path)
            found.append(Form(where, tuple(leaf.shape), form, plain, differentiable))
    return found


def _is_summed(leaf: Any) -> bool:
    """Is every place of a sparse value stored once at most?"""
    if is_tensor(leaf):
        return leaf.layout != torch.sparse_coo or leaf.is_coalesced()
    return len(sparse_entries(leaf)[2]) == leaf.tocoo().nnz


def layout_problem(output: Layout, baseline: Layout) -> str:
    """A view with strides leaves work to what reads it next; plain contiguous memory never does."""
    for ours, theirs in zip(output, baseline, strict=False):
        if not ours.plain and ours.shape == theirs.shape and ours.kept != theirs.kept:
            remedy = 'return it contiguous, or declare layout = "any" with the reason in a comment'
            remedy = remedy.replace("contiguous", "coalesced") if "indices" in ours.kept else remedy
            return f"{ours.place} has {ours.kept}, the baseline's {theirs.kept}: {remedy}"
    return ""


def gradient_difference(output: Layout, baseline: Layout) -> str:
    """Of two sides only one may record what `backward` needs: lawful for inference, and part of the gain."""
    ours, theirs = (any(one.differentiable for one in layout) for layout in (output, baseline))
    if ours == theirs:
        return ""
    if ours:
        return "records what `backward` needs, and the baseline does not"
    return "records nothing for `backward`, and the baseline does: the gain is for where no gradient is needed"


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


def shared_container(output: Any, arguments: tuple, names: tuple[str, ...], mutates: tuple[str, ...]) -> str:
    """Is a list or dict of an argument part of the result? A change of the one would change the other."""
    owners = {
        id(one): name
        for name, argument in zip(names, arguments, strict=True)
        if name not in mutates
        for one in mutable_containers(argument)
    }
    shared = next((owners[id(one)] for one in mutable_containers(output) if id(one) in owners), "")
    remedy = "the baseline returns copies, so return copies"
    return f"the result holds a list or dict of the argument `{shared}`: {remedy}" if shared else ""


def mutable_containers(value: Any) -> Iterator[Any]:
    kind = type(value)
    if kind in (list, dict, deque, set, bytearray):
        yield value
    if kind in (list, tuple, dict, deque):
        items = value.values() if kind is dict else value
        if WRITTEN.issuperset({*map(type, items)}):
            return
        for item in items:
            if type(item) not in WRITTEN:
                yield from mutable_containers(item)


def share_memory(first: Any, second: Any) -> bool:
    owned = list(_extents(second))
    return any(start < last and begin < stop for start, stop in _extents(first) for begin, last in owned)


def changed_problem(before: tuple, after: tuple, names: tuple[str, ...], mutates: tuple[str, ...]) -> str:
    for name, old, new in zip(names, before, after, strict=True):
        if name not in mutates and old is not new and not same_bits(*(_but_generators(value) for value in (old, new))):
            return f"changes its argument `{name}`: work on a copy, or name it in `mutates`"
    return ""


def _but_generators(value: Any) -> list[Any]:
    """A generator is there to be drawn from. A call that changes learning rates changes what holds them."""
    if is_plain(value):
        return [value]
    return [settings(value), *((path, leaf) for path, leaf in whole(value) if not is_generator(leaf))]


def same_bits(first: Any, second: Any) -> bool:
    """Equal to the last bit, NaN included."""
    if is_plain(first) and is_plain(second):
        same = as_bytes(first) == as_bytes(second)
        if same or (is_ordered(first) and is_ordered(second)):
            return same
    elif type(first) in (list, tuple) and type(first) is type(second) and len(first) == len(second):
        return _same_at_once(first, second) or all(map(same_bits, first, second))
    ours, theirs = list(leaves(first)), list(leaves(second))
    if len(ours) != len(theirs):
        return False
    return all(path == place and _same_leaf(a, b) for (path, a), (place, b) in zip(ours, theirs, strict=True))


def _same_at_once(first: Any, second: Any) -> bool:
    """Of many tensors on a device: one wait for all. If not, they have to be looked at one by one."""
    both = list(zip(first, second, strict=True))
    if len(both) < MANY or not all(_is_on_device(a) and _is_on_device(b) and _are_of_a_kind(a, b) for a, b in both):
        return False
    if len({a.device for a, _ in both}) > 1:
        return False
    return not bool(_any(_stack([_any(_ne(a.detach(), b.detach())) for a, b in both])))


def _is_on_device(value: Any) -> bool:
    return is_tensor(value) and is_dense(value) and not value.is_cpu


def _are_of_a_kind(a: Any, b: Any) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.device == b.device and a.element_size() > 1


def poison(value: Any) -> None:
    """Overwrite the memory of a result with what no right answer holds."""
    with torch.no_grad():
        for leaf in buffers(value):
            if is_tensor(leaf):
                _poison_tensor(leaf)
            elif leaf.flags.writeable:
                _poison_array(leaf)


def scrub_allocator(example: Any) -> None:
    """Fill free blocks of the sizes that a result takes, so that memory that is returned unwritten is seen."""
    blocks = [torch.empty_like(leaf) for _, leaf in special_leaves(example) if is_tensor(leaf) for _ in range(3)]
    poison(blocks)
    arrays = [numpy.empty_like(leaf) for _, leaf in special_leaves(example) if is_array(leaf) for _ in range(3)]
    poison(arrays)


def _poison_tensor(leaf: torch.Tensor) -> None:
    if leaf.is_inference():
        return
    if leaf.is_quantized:
        torch.empty(0, dtype=torch.uint8, device=leaf.device).set_(leaf.untyped_storage()).fill_(0x55)
    elif leaf.is_floating_point() or leaf.is_complex():
        leaf.detach().fill_(float("nan"))
    elif leaf.dtype != torch.bool:
        leaf.fill_(0x55)


def _poison_array(leaf: numpy.ndarray) -> None:
    if leaf.dtype.kind in "fc":
        leaf.fill(numpy.nan)
    elif leaf.dtype.kind in "iu":
        leaf.fill(0x55)
    elif leaf.dtype.kind == "V" and leaf.flags.c_contiguous and not leaf.dtype.hasobject:
        leaf.reshape(-1).view(numpy.uint8).fill(0x55)


def _same_leaf(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) in PLAIN:
        return type(a) is type(b) and bool(a == b or a != a)
    if is_tensor(a) and is_tensor(b):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        a, b = a.detach(), b.detach()
        if a.is_floating_point() and a.element_size() == 1:  # torch compares few of these types
            return _equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8))
        if _equal(a, b):
            return True
        odd = a.is_floating_point() or a.is_complex()
        return odd and bool(torch.all((a == b) | (torch.isnan(a) & torch.isnan(b))))
    if is_array(a) and is_array(b):
        if a.dtype.hasobject:
            return a.dtype == b.dtype and same_items(a, b)
        return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return type(a) is type(b) and bool(canonical(a) == canonical(b) or a != a)


def _extents(value: Any) -> Iterator[tuple[int, int]]:
    """The memory that the parts of a value lie in: first address and one past the last, of all that is shared."""
    for leaf in buffers(value):
        if is_tensor(leaf) and leaf.numel():
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
    if _is_plain_container(value):
        for _, item in items_of(value) or ():
            if type(item) not in PLAIN:
                yield from _containers(item)


def _is_plain_container(value: Any) -> bool:
    """Named tuples are plain; a list that computes its items when it is gone through is not."""
    kind = type(value)
    if kind in CONTAINERS:
        return True
    if isinstance(value, _Module):
        return kind.named_parameters is _Module.named_parameters and kind.named_buffers is _Module.named_buffers
    if isinstance(value, dict):
        known = (dict, OrderedDict)
        return kind.items in [one.items for one in known] and kind.values in [one.values for one in known]
    if isinstance(value, (tuple, list, deque)):
        return kind.__iter__ is next(one for one in (tuple, list, deque) if isinstance(value, one)).__iter__
    return not is_record(value) or _is_plain_record(value)


def _is_plain_record(value: Any) -> bool:
    """Fields that lie in the object; a property of that name would compute one when it is read."""
    kind = type(value)
    found = [inspect.getattr_static(kind, field.name, None) for field in dataclasses.fields(value)]
    stored = all(isinstance(one, MemberDescriptorType) or not hasattr(type(one), "__set__") for one in found)
    return stored and kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__")


def _signature(output: Any) -> tuple:
    return tuple((path, _leaf_type(leaf)) for path, leaf in whole(output))


def _leaf_type(leaf: Any) -> str:
    if is_tensor(leaf):
        layout = "jagged " if is_nested(leaf) else f"{leaf.layout} " if is_sparse(leaf) else ""
        return f"{leaf.dtype} {layout}tensor on {leaf.device.type}".replace("torch.", "")
    if is_array(leaf):
        return f"{leaf.dtype} array"
    if is_stateful(leaf):
        return ", ".join([type(leaf).__name__, *(_leaf_type(part) for _, part in leaves(leaf))])
    if (
        isinstance(leaf, numpy.generic)
        and leaf.dtype.kind in "bifcU"
        and numpy.asarray(leaf.item()).dtype == leaf.dtype
    ):
        leaf = leaf.item()  # NumPy's scalar for a Python number: int64 for int, float64 for float
    parts = list(foreign_parts(leaf) or ())
    parts = parts[1:] if is_sparse(leaf) else parts  # SciPy takes the type of its indices from how they are made
    return " ".join([type(leaf).__name__, *(f"{name} {_leaf_type(part)}" for name, part in parts)])


def _describe(value: Any, signature: Sequence[tuple[tuple[str, ...], str]]) -> str:
    parts = [f"{kind} at {place(value, path)}" if path else kind for path, kind in signature[:4]]
    return ", ".join(parts) + (", ..." if len(signature) > 4 else "") or "nothing"
