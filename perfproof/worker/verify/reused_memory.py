"""Arguments copied into the memory of earlier ones: a side that remembers answers by address is found so."""

from itertools import chain
from typing import Any

import torch

from perfproof.core.generators import is_generator, put_into
from perfproof.core.trees import PLAIN, clone, is_array, is_tensor, leaves, whole
from perfproof.worker.verify.case import Contract
from perfproof.worker.verify.numbers import is_dense


def copied_into(contract: Contract, arguments: tuple, into: tuple | None) -> tuple:
    """Copies at new addresses, or in the memory of earlier ones where all of them have memory."""
    if into is None or not _fits(_own(contract, arguments), _own(contract, into)):
        return contract.copied(arguments)
    whole_set, arguments, into = into, _own(contract, arguments), _own(contract, into)
    with torch.no_grad():
        for (_, old), (_, new) in zip(_memory(into), _memory(arguments), strict=True):
            if is_tensor(old):
                old.copy_(new)
                old.grad = clone(new.grad) if new.is_leaf else None
            elif old is not None:
                old[...] = new
    for (_, old), (_, new) in zip(whole(into), whole(arguments), strict=True):
        if is_generator(old):
            put_into(old, new)
    return whole_set


def _own(contract: Contract, arguments: tuple) -> tuple:
    """The arguments that every call has copies of."""
    return tuple(value for name, value in zip(contract.names, arguments, strict=True) if name not in contract.lent)


def _memory(arguments: tuple) -> list[tuple[Any, Any]]:
    """Leaves that are the arguments' own memory; of a module its parameters and buffers."""
    modules = torch.nn.Module
    found = (leaves(leaf, path) if isinstance(leaf, modules) else [(path, leaf)] for path, leaf in whole(arguments))
    return list(chain.from_iterable(found))


def _fits(arguments: tuple, into: tuple) -> bool:
    """The same parts with memory of the same shapes: a list of ragged rows has others at every draw."""
    if any(type(leaf) in PLAIN and leaf is not None for _, leaf in whole(arguments)):
        return False  # it has no memory that could be written to
    new, old = _memory(arguments), _memory(into)
    return [path for path, _ in new] == [path for path, _ in old] and all(
        one is other is None
        or (_is_buffer(one) and type(one) is type(other) and one.shape == other.shape and one.dtype == other.dtype)
        for (_, one), (_, other) in zip(new, old, strict=True)
    )


def _is_buffer(leaf: Any) -> bool:
    return is_dense(leaf) or (is_array(leaf) and leaf.flags.writeable)
