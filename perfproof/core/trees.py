"""Walk the arguments and results of a pair: containers of tensors, arrays, numbers, text, frames and modules.

`whole` stops at what another library made (a frame, a sparse tensor), at the state of training (a module) and at
objects; `leaves` goes on into their parts. torch is looked up, never imported: see `foreign`.
"""

import copy
import dataclasses
import functools
import io
import itertools
import marshal
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from operator import itemgetter
from typing import Any

from perfproof.core import generators
from perfproof.core.foreign import buffers_of, foreign_parts, is_array, is_tensor
from perfproof.core.objects import attributes, is_object, parts_of_object
from perfproof.core.training import Settings, is_stateful, parameters_of, settings_of, state_of

Path = tuple[str, ...]
Walk = Iterator[tuple[Path, Any]]
PLAIN = frozenset({bool, int, float, complex, str, bytes, bytearray, type(None)})
NUMBERS = frozenset({bool, int, float, complex, type(None)})
WRITTEN = PLAIN - {bytearray}  # a bytearray would be read back as bytes
CONTAINERS = frozenset({dict, list, tuple})
PLAIN_CONTAINERS = CONTAINERS | {set, frozenset}
MOST_ITEMS = 2**24  # of an iterator
MANY_TENSORS = 8  # in a list: they are copied in one go


def leaves(value: Any, path: Path = ()) -> Walk:
    """Every leaf with its path; a module is walked through its state, a frame through its columns."""
    return _walk(value, path, lambda one: parts_of(one) if (items := items_of(one)) is None else items)


def whole(value: Any, path: Path = ()) -> Walk:
    """Every leaf with its path; modules, frames and sparse tensors are leaves here."""
    return _walk(value, path, items_of)


def _walk(value: Any, path: Path, inside: Callable[[Any], Iterable[tuple[str, Any]] | None]) -> Walk:
    items = None if type(value) in PLAIN else inside(value)
    if items is None:
        yield path, value
        return
    for name, item in items:
        place = (*path, name) if name else path
        if type(item) in PLAIN:  # most are: no generator for each
            yield place, item
        else:
            yield from _walk(item, place, inside)


def is_plain(value: Any) -> bool:
    """Numbers and texts, or containers of them and nothing else: copied and compared at once, not item by item."""
    kind = type(value)
    if kind is dict:
        return is_plain(list(value)) and is_plain(list(value.values()))
    if kind not in PLAIN_CONTAINERS:
        return kind in WRITTEN
    kinds = {*map(type, value)}
    return WRITTEN.issuperset(kinds) or (
        kinds <= WRITTEN | PLAIN_CONTAINERS and all(is_plain(item) for item in value if type(item) not in WRITTEN)
    )


def is_ordered(value: Any) -> bool:
    """Is there no dict or set in this plain value, so that it has one form in bytes?"""
    kinds = {*map(type, value)} if type(value) in (list, tuple) else set()
    if type(value) in (dict, set, frozenset) or kinds & {dict, set, frozenset}:
        return False
    return not kinds & {list, tuple} or all(is_ordered(item) for item in value if type(item) in (list, tuple))


def count_leaves(value: Any) -> int:
    """As many as `leaves` has."""
    if type(value) not in (list, tuple) or not is_plain(value):
        return 1 if type(value) in PLAIN else sum(1 for _ in leaves(value))
    inner = [item for item in value if type(item) not in WRITTEN]
    return len(value) - len(inner) + sum(map(count_leaves, inner))


def as_bytes(value: Any) -> bytes:
    """Of a plain value: equal bytes mean equal values, to the last bit. Dicts may be equal in another order."""
    return marshal.dumps(value, 2)  # this version has no references


def special(value: Any, path: Path = ()) -> Walk:
    """Like `whole`, without what is plain: nothing but numbers and texts is in there."""
    if is_plain(value):
        return
    items = items_of(value)
    if items is None:
        yield path, value
        return
    for name, item in items:
        yield from special(item, (*path, name) if name else path)


def special_leaves(value: Any) -> Walk:
    """Every leaf but what is plain: of a list of a million numbers there is nothing to be walked."""
    for path, part in special(value):
        yield from leaves(part, path)


def texts_in(value: Any) -> Iterator[str]:
    """Every text among the leaves."""
    if type(value) not in (list, tuple):
        yield from (leaf for _, leaf in leaves(value) if type(leaf) is str)
    elif not NUMBERS.issuperset({*map(type, value)}):
        for item in value:
            if type(item) is str:
                yield item
            elif type(item) not in PLAIN:
                yield from texts_in(item)


def items_of(value: Any) -> Iterable[tuple[str, Any]] | None:
    """Names and items of a plain container. Dicts are equal in any order, so they are walked in the order of keys."""
    if type(value) not in CONTAINERS and (is_tensor(value) or is_array(value) or is_stateful(value)):
        return None
    if isinstance(value, dict):
        items = [(str(key), item) for key, item in value.items()]
        return items if isinstance(value, OrderedDict) else sorted(items, key=itemgetter(0))
    if isinstance(value, (tuple, list, deque)):
        return ((str(index), item) for index, item in enumerate(value))
    if is_record(value):
        kind: Any = type(value)
        return [(name, getattr(value, name)) for name in _fields(kind)]
    return None


def parts_of(leaf: Any) -> Iterable[tuple[str, Any]] | None:
    """What a leaf of `whole` is made of, or None."""
    if is_tensor(leaf) or is_array(leaf) or not is_stateful(leaf):
        parts = foreign_parts(leaf)
        return parts_of_object(leaf, items_of) if parts is None and is_object(leaf) else parts
    return state_of(leaf).items()


def is_record(value: Any) -> bool:
    """An instance of a dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def map_leaves(value: Any, change: Callable[[Any], Any], made: dict[int, Any] | None = None) -> Any:
    """The same containers and objects around changed leaves; `change` gets modules, frames and sparse tensors whole.

    `made` has the changed objects, lists and dicts: one that is referred to twice is made once.
    """
    made = {} if made is None else made
    if type(value) in PLAIN or is_tensor(value) or is_stateful(value):
        return change(value)
    if type(value) in (dict, list):
        if id(value) not in made:
            made[id(value)] = changed = type(value)()
            if type(value) is dict:
                changed.update((key, map_leaves(item, change, made)) for key, item in value.items())
            else:
                changed.extend(map_leaves(item, change, made) for item in value)
        return made[id(value)]
    if isinstance(value, dict):
        return _with_items(copy.copy(value), {key: map_leaves(item, change, made) for key, item in value.items()})
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_leaves(item, change, made) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(map_leaves(item, change, made) for item in value)
    if isinstance(value, deque):
        return deque((map_leaves(item, change, made) for item in value), value.maxlen)
    if is_record(value):
        return _with_changed_fields(value, change, made)
    if not is_object(value):
        return change(value)
    if id(value) not in made:
        made[id(value)] = copied = object.__new__(type(value))
        vars(copied).update((name, map_leaves(item, change, made)) for name, item in attributes(value))
    return made[id(value)]


def tensors_in(value: Any) -> list[Any]:
    return [leaf for _, leaf in leaves(value) if is_tensor(leaf)]


def holds_buffers(value: Any) -> bool:
    return not is_plain(value) and any(is_tensor(leaf) or is_array(leaf) for _, leaf in leaves(value))


def buffers(value: Any) -> Iterator[Any]:
    """The tensors and arrays that hold the numbers of a value, not copies of them."""
    for _, leaf in special(value):
        if is_stateful(leaf):
            yield from tensors_in(leaf)
        elif is_object(leaf):
            yield from buffers([part for _, part in parts_of_object(leaf, items_of)])
        else:
            yield from buffers_of(leaf)


def settings(value: Any) -> Settings:
    """Numbers that steer training, by name: take them before a call to see which of them it changes."""
    return Settings(
        (".".join((*path, name)), number) for path, leaf in special(value) for name, number in settings_of(leaf)
    )


def gradients(value: Any) -> list[Any]:
    """The gradient, or None, of each tensor that may have one; neither pickle nor copy.deepcopy takes it along."""
    return [tensor.grad for tensor in _differentiated(value)]


def put_gradients(value: Any, kept: list[Any]) -> None:
    """Give the tensors of a copy the gradients of the original."""
    for tensor, gradient in zip(_differentiated(value), kept, strict=True):
        tensor.grad = gradient


def _differentiated(value: Any) -> Iterator[Any]:
    for _, leaf in special(value):
        tensors = parameters_of(leaf) if is_stateful(leaf) else [leaf] if is_tensor(leaf) else []
        yield from (one for one in tensors if one.is_leaf and one.requires_grad)


def clone(value: Any) -> Any:
    """An independent copy at new addresses, with gradients; what is joined (module, optimizer, scheduler) stays so."""
    memo: dict[int, Any] = {}
    joined: list[Any] = []
    made: dict[int, Any] = {}

    def copy_of(leaf: Any) -> Any:
        if not (type(leaf) in PLAIN or is_tensor(leaf)) and is_stateful(leaf):
            joined.append(leaf)
        return _clone_leaf(leaf, memo)

    def copied_at_once(item: Any) -> Any:
        if type(item) in CONTAINERS and is_plain(item):
            return marshal.loads(as_bytes(item))
        if type(item) is dict:
            return {key: copied_at_once(one) for key, one in item.items()}
        if type(item) is tuple:
            return tuple(map(copied_at_once, item))
        return _clone_tensors(item, memo) or map_leaves(item, copy_of, made)

    copied = copied_at_once(value)
    for parameter in itertools.chain.from_iterable(map(parameters_of, joined)):
        if parameter.grad is not None and id(parameter) in memo:  # copy.deepcopy leaves them out
            memo[id(parameter)].grad = parameter.grad.detach().clone()
    return copied


def drained(value: Any) -> Any:
    """The same value with the items of every iterator in a list. Has to be timed: the items are computed here."""
    if not holds_iterator(value):
        return value
    return map_leaves(value, lambda leaf: drained(_items(leaf)) if _is_iterator(leaf) else leaf)


def holds_iterator(value: Any) -> bool:
    return any(_is_iterator(leaf) for _, leaf in special(value))


def canonical(leaf: Any) -> Any:
    """Equal for equal values of two copies of one file, whose classes are not the same ones."""
    if isinstance(leaf, Enum):
        return f"{type(leaf).__name__}.{leaf._name_}"
    if isinstance(leaf, (set, frozenset)):
        return frozenset(map(canonical, leaf))
    if type(leaf) is tuple:
        return tuple(map(canonical, leaf))
    if is_record(leaf):
        return (type(leaf).__name__, *(canonical(getattr(leaf, field.name)) for field in dataclasses.fields(leaf)))
    return leaf


def size_in_bytes(value: Any) -> int:
    kinds = {*map(type, value)} if type(value) in (list, tuple) else set()
    if kinds and kinds <= NUMBERS:
        return sum(map(sys.getsizeof, value))
    if kinds and kinds <= {list, tuple}:
        return sum(map(size_in_bytes, value))
    total = 0
    for _, leaf in leaves(value):
        if is_tensor(leaf):
            total += leaf.numel() * leaf.element_size()
        elif is_array(leaf):
            total += leaf.nbytes
        elif isinstance(leaf, (str, bytes, bytearray)):
            total += len(leaf)
        else:
            total += sys.getsizeof(leaf, 0)
            total += sum(sys.getsizeof(item, 0) for item in leaf) if isinstance(leaf, (set, frozenset)) else 0
    return total


def _clone_leaf(leaf: Any, memo: dict[int, Any]) -> Any:
    if type(leaf) in PLAIN and type(leaf) is not bytearray:
        return leaf
    if is_tensor(leaf):
        if id(leaf) not in memo:
            memo[id(leaf)] = _clone_tensor(leaf)
        return memo[id(leaf)]
    if generators.is_generator(leaf):
        return generators.copied(leaf)
    return leaf.copy() if is_array(leaf) and leaf.dtype.kind != "O" else copy.deepcopy(leaf, memo)


def _clone_tensors(items: Any, memo: dict[int, Any]) -> list[Any] | None:
    """A list of tensors and nothing else, copied in one go; None if it is something else, or holds a tensor twice."""
    if type(items) is not list or len(items) < MANY_TENSORS or not all(map(_is_only_numbers, items)):
        return None
    places = {id(one) for one in items}
    if len(places) < len(items) or not places.isdisjoint(memo):
        return None
    torch = sys.modules["torch"]
    copied = [torch.empty_like(one) for one in items]
    torch._foreach_copy_(copied, items)
    memo.update(zip(map(id, items), copied, strict=True))
    return copied


def _is_only_numbers(value: Any) -> bool:
    """A tensor without a gradient, of no special kind."""
    torch = sys.modules.get("torch")
    plain = torch is not None and type(value) is torch.Tensor and value.layout == torch.strided
    return plain and not (value.requires_grad or value.is_quantized or value.is_nested) and value.grad is None


def _clone_tensor(tensor: Any) -> Any:
    copied, torch = tensor.detach().clone(), sys.modules["torch"]
    if type(tensor) is torch.nn.Parameter:
        copied = torch.nn.Parameter(copied, tensor.requires_grad)
    copied.requires_grad_(tensor.requires_grad)
    if tensor.is_leaf and tensor.grad is not None:
        copied.grad = tensor.grad.detach().clone()
    return copied


def _with_items(mapping: Any, items: dict[Any, Any]) -> Any:
    for key, item in items.items():
        mapping[key] = item
    return mapping


def _with_changed_fields(value: Any, change: Callable[[Any], Any], made: dict[int, Any]) -> Any:
    kind: Any = type(value)
    changed = object.__new__(kind) if _holds_nothing_else(kind) else copy.copy(value)
    for name in {*_fields(kind), *getattr(value, "__dict__", ())}:
        object.__setattr__(changed, name, map_leaves(getattr(value, name), change, made))  # fields may be frozen
    return changed


@functools.lru_cache(1024)
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@functools.lru_cache(1024)
def _holds_nothing_else(kind: type) -> bool:
    """Is a dataclass all that its fields and its `__dict__` are? A subclass of a list, say, holds items as well."""
    slots = {name for one in kind.__mro__ for name in one.__dict__.get("__slots__", ())} - {"__dict__", "__weakref__"}
    return kind.__new__ is object.__new__ and not hasattr(kind, "__copy__") and slots <= {*_fields(kind)}


def _is_iterator(leaf: Any) -> bool:
    return isinstance(leaf, Iterator) and not isinstance(leaf, io.IOBase)


def _items(iterator: Iterator[Any]) -> list[Any]:
    items = list(itertools.islice(iterator, MOST_ITEMS))
    if len(items) == MOST_ITEMS and next(iterator, items) is not items:
        raise ValueError(f"the result is an iterator of more than {MOST_ITEMS:,} items: return fewer of them")
    return items
