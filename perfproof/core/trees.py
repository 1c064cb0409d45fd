"""Walk the arguments and results of a pair: tuples, lists and dicts of tensors, arrays, numbers, strings and modules.

torch is looked up, never imported: where it is not loaded no value can be a tensor.
"""

import copy
import sys
from collections.abc import Callable, Iterator
from typing import Any

Path = tuple[str, ...]


def is_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_array(value: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def is_stateful(value: object) -> bool:
    """A module or an optimizer: something that holds tensors instead of being one."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, (torch.nn.Module, torch.optim.Optimizer))


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every leaf with its path; a module or optimizer is walked through its state."""
    if is_stateful(value):
        value = state_of(value)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, str(key)))
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, str(index)))
    else:
        yield path, value


def map_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same structure with every leaf changed; a module or optimizer becomes the dict of its state."""
    if is_stateful(value):
        value = state_of(value)
    if isinstance(value, dict):
        return {key: map_leaves(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_leaves(item, change) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(map_leaves(item, change) for item in value)
    return change(value)


def state_of(value: Any) -> dict[str, Any]:
    """Parameters, buffers and gradients of a module; the per-parameter state of an optimizer."""
    torch = sys.modules["torch"]
    if isinstance(value, torch.optim.Optimizer):
        parameters = [parameter for group in value.param_groups for parameter in group["params"]]
        state = {f"state.{index}": dict(value.state.get(parameter, {})) for index, parameter in enumerate(parameters)}
        return {**state, "param_groups": [{k: v for k, v in g.items() if k != "params"} for g in value.param_groups]}
    tensors = {**dict(value.named_parameters()), **dict(value.named_buffers())}
    gradients = {f"{name}.grad": p.grad for name, p in value.named_parameters() if p.grad is not None}
    return {**tensors, **gradients}


def tensors_in(value: Any) -> list[Any]:
    return [leaf for _, leaf in leaves(value) if is_tensor(leaf)]


def holds_buffers(value: Any) -> bool:
    return any(is_tensor(leaf) or is_array(leaf) for _, leaf in leaves(value))


def clone(value: Any) -> Any:
    """An independent copy at new addresses; modules and optimizers that refer to each other stay joined."""
    if _holds_stateful(value):
        return copy.deepcopy(value)
    return map_leaves(value, _clone_leaf)


def _clone_leaf(leaf: Any) -> Any:
    if is_tensor(leaf):
        return leaf.detach().clone().requires_grad_(leaf.requires_grad)
    return leaf.copy() if is_array(leaf) else copy.deepcopy(leaf)


def _holds_stateful(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_stateful(item) for item in value.values())
    if isinstance(value, (tuple, list)):
        return any(_holds_stateful(item) for item in value)
    return is_stateful(value)


def size_in_bytes(value: Any) -> int:
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
    return total
