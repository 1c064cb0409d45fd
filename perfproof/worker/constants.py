"""What a pair's `constants` returns: made once per process, or once per run where that takes long.

Every draw of `inputs` then gets the same ones. Values that took long to make are kept in a file of the run, from which
other workers read them.
"""

import inspect
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from perfproof.worker import shelf
from perfproof.worker.measure.arguments import Draw, seeded
from perfproof.worker.measure.device_clocks import wait_for

SLOW_SECONDS = 1.0


@dataclass
class Constants:
    make: Callable[..., Any]  # the pair's `constants`
    inputs: Callable[..., Any]
    names: Sequence[str]  # of all arguments
    constant: Sequence[str]  # of those that `make` returns, in its order
    device: str
    imports: Sequence[str]
    seed: int  # the same in all workers of a run
    folder: Path  # which all workers of a run share
    path: str = ""  # of the pair: another revision makes its own
    _made: dict[str, tuple] = field(default_factory=dict)

    def draw(self, sizes: dict[str, Any]) -> Draw:
        """`inputs` as a function of a seed and a number of sets, with these constants in their places."""
        return partial(self._draw, sizes, self.at(sizes))

    def draw_all(self, sizes: dict[str, Any], seed: int) -> tuple:
        """A set with other constants."""
        (drawn,) = self._draw(sizes, self._make(sizes, seed), seed, 1)
        return drawn

    def at(self, sizes: dict[str, Any]) -> tuple:
        key = json.dumps(sizes, sort_keys=True, default=repr)
        if key not in self._made:
            self._made[key] = self._read_or_make(sizes, key)
        return self._made[key]

    def _draw(self, sizes: dict[str, Any], known: tuple, seed: int, sets: int) -> Iterator[tuple]:
        by_name = dict(zip(self.constant, known, strict=True))
        taken, wanted = taken_by(self.inputs, by_name), taken_by(self.inputs, sizes)
        others = [name for name in self.names if name not in by_name]
        drawn = seeded(partial(self.inputs, **taken), wanted, self.device, self.imports, others)(seed, sets)
        return (self._merged(one, by_name) for one in drawn)

    def _merged(self, drawn: tuple, by_name: dict[str, Any]) -> tuple:
        others = [name for name in self.names if name not in by_name]
        if len(drawn) != len(others):
            raise ValueError(
                f"`inputs` returned {len(drawn)} values: beside `constants` it returns {', '.join(others) or 'none'}"
            )
        values = by_name | dict(zip(others, drawn, strict=True))
        return tuple(values[name] for name in self.names)

    def _read_or_make(self, sizes: dict[str, Any], key: str) -> tuple:
        file = shelf.place(self.folder, "constants", self.path, self.seed, key)
        kept = shelf.read(file, self.device)
        if kept is not None:
            return kept
        started = time.perf_counter()
        made = self._make(sizes, self.seed)
        if time.perf_counter() - started > SLOW_SECONDS:
            shelf.keep(made, file)
        return made

    def _make(self, sizes: dict[str, Any], seed: int) -> tuple:
        (made,) = seeded(self.make, taken_by(self.make, sizes), self.device, self.imports)(seed, 1)
        if len(made) != len(self.constant):
            raise ValueError(f"`constants` returned {len(made)} values: `constant` names {', '.join(self.constant)}")
        wait_for(self.device)
        return made


def taken_by(function: Callable[..., Any], values: dict[str, Any]) -> dict[str, Any]:
    """Those that the function takes by name."""
    parameters = inspect.signature(function).parameters
    return {name: value for name, value in values.items() if name in parameters}
