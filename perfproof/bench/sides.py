"""Load a pair's file in the worker: once for inputs and reference, once more for each side; nothing passes between.

A side is a function, what its preparation returned, and where it came from. What a lab step borrows from a sibling
file is loaded from that file in the same way.
"""

import functools
import importlib.util
import inspect
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from perfproof.bench import shelf
from perfproof.core.trees import drained
from perfproof.verify.independence import stand_alone

SIDES = ("baseline", "optimized")
SLOW_SECONDS = 5.0  # a preparation that takes longer is not done again by every worker, if it can be kept


@dataclass
class Side:
    name: str
    function: Callable
    prepare: Callable | None
    state: tuple = ()  # what preparation returned, as the first argument; empty without one
    setup_seconds: float | None = None
    load_seconds: float = 0.0

    def make_ready(self, draw: Callable[[], tuple], device: str, file: Path | None = None) -> None:
        """Run the untimed preparation on the real constants and values that no call will see, drawn if there is one.

        What took long is kept in the `file` for the next worker, which has equal constants.
        """
        if self.prepare is None:
            return
        kept = shelf.read(file, device) if file else None
        if kept is not None:
            self.state, self.setup_seconds = kept
            return
        throwaway = draw()
        started = time.perf_counter()
        with torch.device(device):
            self.state = (self.prepare(*throwaway),)
        if device.startswith("cuda"):
            torch.cuda.synchronize()
        self.setup_seconds = time.perf_counter() - started
        if file and self.setup_seconds > SLOW_SECONDS:
            shelf.keep((self.state, self.setup_seconds), file, own_classes=False)


@dataclass
class Source:
    """Where the code of a pair is: a file, or functions pickled in a notebook."""

    path: str = ""
    siblings: dict[str, str] = field(default_factory=dict)
    borrowed: dict[str, str] = field(default_factory=dict)
    pickled: str = ""  # a folder with a file for each function; replaces the file

    _count = 0

    def load(self, name: str, stem: str | None = None) -> ModuleType:
        """A new instance of the pair's module (or of the sibling `stem`), in which `name` is."""
        Source._count += 1
        if self.pickled:
            from perfproof.bench import pickled

            return pickled.read(self.pickled, name)
        path = Path(self.siblings[stem] if stem else self.path)
        unique = f"_pair_{Source._count}_{path.stem}"
        spec = importlib.util.spec_from_file_location(unique, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} cannot be imported as Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[unique] = module  # Triton, dataclasses and pickle look their functions up there
        spec.loader.exec_module(module)
        return module

    def named(self, name: str) -> Any:
        """`inputs`, `reference` or `cost`, from the sibling it is borrowed from where it is."""
        module = self.load(name, self.borrowed.get(name))
        if name == "reference" and not self.pickled:
            stand_alone(module, [one for one in vars(module) if one.startswith(SIDES)], "the reference")
        return _with_items(getattr(module, name))

    def side(self, name: str) -> Side:
        """A side in an instance of its own; "twin" is the baseline once more."""
        wanted = "baseline" if name == "twin" else name
        started = time.perf_counter()
        stem, _, variant = self.borrowed.get(wanted, "").partition(":")  # "step_02", or "step_02:optimized_tiled"
        found = (variant or "optimized") if stem else wanted
        module = self.load(found, stem or None)
        if not self.pickled:
            stand_alone(module, ["reference"], name)
        function = _with_items(getattr(module, found))
        prepare = getattr(module, f"prepare_{found}", None)
        return Side(name, function, prepare, load_seconds=time.perf_counter() - started)


def _with_items(function: Callable) -> Callable:
    """A generator computes its items when they are asked for: they are, as part of the call."""
    if not inspect.isgeneratorfunction(function):
        return function
    return functools.wraps(function)(lambda *arguments: drained(function(*arguments)))
