"""Random generators as arguments: torch.Generator, numpy.random.Generator and random.Random.

A call draws from one, so it changes it: that is its purpose, and no side is blamed for it.
"""

import copy
import random
import sys
from typing import Any


def is_generator(value: object) -> bool:
    return is_generator_kind(type(value))


def is_generator_kind(kind: type) -> bool:
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    return (
        issubclass(kind, random.Random)
        or (torch is not None and issubclass(kind, torch.Generator))
        or (numpy is not None and issubclass(kind, numpy.random.Generator))
    )


def copied(generator: Any) -> Any:
    """Another one in the same state: it makes the same draws."""
    return generator.clone_state() if hasattr(generator, "clone_state") else copy.deepcopy(generator)


def state_of(generator: Any) -> Any:
    """What the next draws depend on, as values that can be compared: a tensor, a dict or a tuple."""
    if isinstance(generator, random.Random):
        return generator.getstate()
    return generator.get_state() if hasattr(generator, "get_state") else generator.bit_generator.state


def put_into(generator: Any, other: Any) -> None:
    """Let a generator make the draws that the other one would make."""
    if isinstance(generator, random.Random):
        generator.setstate(other.getstate())
    elif hasattr(generator, "set_state"):
        generator.set_state(other.get_state())
    else:
        generator.bit_generator.state = other.bit_generator.state


def renewed(value: Any, rng: random.Random) -> Any:
    """The same values with every generator replaced by one in a state of its own, drawn from `rng`."""
    if isinstance(value, dict):
        return {key: renewed(item, rng) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(renewed(item, rng) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(renewed(item, rng) for item in value)
    return _seeded(value, rng) if is_generator(value) else value


def _seeded(generator: Any, rng: random.Random) -> Any:
    new, seed = copied(generator), rng.getrandbits(62)
    if hasattr(new, "manual_seed"):
        return new.manual_seed(seed)
    if isinstance(new, random.Random):
        new.seed(seed)
        return new
    return type(new)(type(new.bit_generator)(seed))
