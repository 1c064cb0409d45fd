"""A target over a grid of its sizes: the axes, the points, and a pair for each point under a name of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any

from perfproof.core.errors import UsageError
from perfproof.pairs.pair import Pair
from perfproof.pairs.sizes import parse_sizes

MOST_POINTS = 256


@dataclass(frozen=True)
class Sweep:
    """What is swept: stored with the run's options, so that table and picture can be made from the document."""

    target: str
    axes: dict[str, list[Any]]
    reduced: dict[str, str] = field(default_factory=dict)  # axes that mean nothing on this machine, and why

    @property
    def points(self) -> list[dict[str, Any]]:
        """Every combination of values; the last axis runs fastest."""
        return [dict(zip(self.axes, values, strict=True)) for values in product(*self.axes.values())]

    def name_of(self, point: dict[str, Any]) -> str:
        return f"{self.target}[{','.join(f'{axis}={value}' for axis, value in point.items())}]"


def plan_sweep(pair: Pair, items: Sequence[str], on_gpu: bool) -> Sweep:
    """The axes that the pair declares, or those given instead of them: `--set threads=1,2,4`."""
    given = parse_axes(items, pair)
    if not given and not pair.sweep:
        sizes = ", ".join(pair.workload) or "none"
        raise UsageError(f"{pair.name} declares no `sweep`; give an axis with --set NAME=1,2,4 (its sizes are {sizes})")
    declared = {axis: list(dict.fromkeys(values)) for axis, values in (pair.sweep or {}).items()}
    sweep = Sweep(pair.name, given) if given else _on_this_machine(pair, declared, on_gpu)
    if (count := prod(map(len, sweep.axes.values()))) > MOST_POINTS:
        raise UsageError(f"{count} points are more than {MOST_POINTS}; give fewer values with --set")
    return sweep


def parse_axes(items: Sequence[str], pair: Pair) -> dict[str, list[Any]]:
    axes: dict[str, list[Any]] = {}
    for item in items:
        axis, equals, text = item.partition("=")
        values = [value.strip() for value in text.split(",")]
        if not equals or not axis.strip() or not all(values):
            raise UsageError(f"--set {item!r} is not NAME=VALUE,VALUE; write for example threads=1,2,4")
        for value in values:
            typed = parse_sizes([f"{axis.strip()}={value}"], [pair])[pair.name]
            for name, one in typed.items():
                axes.setdefault(name, []).append(one)
    return {axis: list(dict.fromkeys(values)) for axis, values in axes.items()}


def point_pairs(pair: Pair, sweep: Sweep) -> dict[str, tuple[Pair, dict[str, Any]]]:
    """For each point its name, the pair under that name, and the sizes that make it the point."""
    names = {sweep.name_of(point): point for point in sweep.points}
    return {name: (replace(pair, name=name), point) for name, point in names.items()}


def _on_this_machine(pair: Pair, axes: dict[str, list[Any]], on_gpu: bool) -> Sweep:
    """Without a GPU an axis of words that does not have the CPU's word is about the GPU: it stays at that word."""
    if on_gpu or pair.workload_cpu is None:
        return Sweep(pair.name, axes)
    kept, reduced = {}, {}
    for axis, values in axes.items():
        here = pair.workload_cpu[axis]
        if isinstance(here, str) and here not in values:
            reduced[axis] = f"stays {here!r}: without a GPU {', '.join(map(str, values))} mean nothing"
        kept[axis] = [here] if axis in reduced else values
    return Sweep(pair.name, kept, reduced)
