"""The state of training: what modules, optimizers, schedulers, scalers and random generators hold.

Tensors, gradients and counts are state. Settings (learning rates, `eps`, `foreach`) are none: a variant may be built
with others. But the numbers among them that a call changes are results (a scheduler's learning rate): see `Settings`.
"""

import functools
import sys
from collections.abc import Iterator
from typing import Any

from perfproof.core import generators
from perfproof.core.foreign import is_tensor


class Settings(dict[str, Any]):
    """Numbers by name that steer training, or those of them that a call changed."""

    def changed_since(self, before: "Settings") -> "Settings":
        return Settings({name: value for name, value in self.items() if before.get(name) != value})


def is_stateful(value: object) -> bool:
    """Something that holds tensors or numbers instead of being one."""
    kind: Any = type(value)
    return _is_stateful_kind(kind)


@functools.lru_cache(4096)
def _is_stateful_kind(kind: type) -> bool:
    if issubclass(kind, Settings) or generators.is_generator_kind(kind):
        return True
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(
        kind, (torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler, torch.amp.GradScaler)
    )


def state_of(value: Any) -> dict[str, Any]:
    """Parameters, buffers and gradients of a module; per parameter the state of an optimizer; a generator's state."""
    if isinstance(value, Settings):
        return dict(value)
    if generators.is_generator(value):
        return {"state": generators.state_of(value)}
    torch = sys.modules["torch"]
    if isinstance(value, torch.nn.Module):
        gradients = {f"{name}.grad": one.grad for name, one in value.named_parameters() if one.requires_grad}
        return {**dict(value.named_parameters()), **dict(value.named_buffers()), **gradients}
    if isinstance(value, torch.optim.Optimizer):
        return {f"state.{at}": dict(value.state.get(one, {})) for at, one in enumerate(parameters_of(value))}
    return {}


def settings_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Numbers of an optimizer's groups, of a scheduler and of a gradient scaler, by name."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    if isinstance(value, torch.optim.Optimizer):
        groups = [{name: item for name, item in group.items() if name != "params"} for group in value.param_groups]
        yield from _numbers(groups, "param_groups")
    elif isinstance(value, (torch.optim.lr_scheduler.LRScheduler, torch.amp.GradScaler)):
        yield from _numbers(value.state_dict(), "")


def round_settings(value: Any, share: float) -> None:
    """Make every real number among an optimizer's settings smaller by such a share, in place."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.optim.Optimizer):
        return
    for group in value.param_groups:
        for name, item in group.items():
            if name != "params":
                group[name] = _smaller(item, share)


def _smaller(item: Any, share: float) -> Any:
    if type(item) in (tuple, list):
        return type(item)(_smaller(one, share) for one in item)
    return item * (1 - share) if type(item) is float else item


def parameters_of(value: Any) -> list[Any]:
    """The parameters that a module has or an optimizer changes, in order."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    if isinstance(value, torch.nn.Module):
        return list(value.parameters())
    if isinstance(value, torch.optim.Optimizer):
        return [one for group in value.param_groups for one in group["params"]]
    return parameters_of(value.optimizer) if isinstance(value, torch.optim.lr_scheduler.LRScheduler) else []


def to_double(value: Any) -> None:
    """In place, so that a module and its optimizer stay joined: parameters, buffers, gradients and moments."""
    torch = sys.modules["torch"]
    if isinstance(value, torch.nn.Module):
        value.double()
    for parameter in parameters_of(value):
        tensor_to_double(parameter)
    if isinstance(value, torch.optim.Optimizer):
        for state in value.state.values():
            for name, item in state.items():
                if name != "step" and is_tensor(item) and item.is_floating_point():
                    state[name] = item.double()


def tensor_to_double(tensor: Any) -> None:
    gradient = tensor.grad if tensor.is_leaf else None
    tensor.data = tensor.data.double()
    if gradient is not None:
        tensor.grad = gradient.double()


def _numbers(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, f"{name}.{key}" if name else str(key))
    elif isinstance(value, (tuple, list)):
        for at, item in enumerate(value):
            yield from _numbers(item, f"{name}.{at}")
    elif is_tensor(value) and value.numel() == 1:
        yield name, value.item()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield name, value
