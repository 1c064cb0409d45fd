"""Numbers and texts in modules of the project: all sides share them, so what a variant sets holds for the baseline."""

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from perfproof.worker.verify.case import Answer, Contract, attempt

Call = Callable[[tuple], Answer]
Settings = dict[str, Any]
KINDS = (int, float, str)


def check(contract: Contract, sides: Mapping[str, Call], drawn: tuple, modules: Iterable[ModuleType]) -> list[str]:
    """A line for each setting that a variant changes, in its first call and in no later one; a count goes on."""
    (_, baseline), *variants = sides.items()
    kept = list(modules)
    if not kept:
        return []
    attempt(baseline, contract.copied(drawn))
    said = []
    for name, call in variants:
        steps = [_settings(kept)]
        for _ in range(2):
            attempt(call, contract.copied(drawn))
            steps.append(_settings(kept))
        before, first, second = steps
        for place in [one for one in before if first.get(one) != before[one] and first.get(one) == second.get(one)]:
            moved = f"from {before[place]!r:.40} to {first.get(place)!r:.40}"
            said.append(f"{name} sets {place} {moved}, and the baseline shares it: put it back before the call ends")
    return said


def _settings(modules: list[ModuleType]) -> Settings:
    """By name: those of a module, of its classes, and of objects in it."""
    found: Settings = {}
    for module in modules:
        for key, value in list(vars(module).items()):
            place, kind = f"{module.__name__}.{key}", value if isinstance(value, type) else type(value)
            if kind in KINDS:
                found[place] = value
            elif kind is dict:
                found.update((f"{place}[{name!r}]", one) for name, one in list(value.items()) if type(one) in KINDS)
            elif kind.__module__ == module.__name__:
                own = {**vars(kind), **getattr(value, "__dict__", {})}
                found.update((f"{place}.{name}", one) for name, one in own.items() if type(one) in KINDS)
    return found
