"""Load a pair's file in the worker: once for inputs and reference, once more for each side; nothing passes between.

A side is a function, what its preparation returned, and where it came from. What a lab step borrows from a sibling
file is loaded from that file in the same way.
"""

import importlib.util
import inspect
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import torch

from perfproof.worker import shelf
from perfproof.worker.completed import completed
from perfproof.worker.measure.device_clocks import wait_for
from perfproof.worker.verify.independence import stand_alone
from perfproof.worker.verify.outputs import share_memory

INSTANCES = ".instances"  # a folder in the working one
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
    call_seconds: float = math.inf  # of the shortest call so far

    def make_ready(self, draw: Callable[[], tuple], device: str, file: Path | None = None) -> None:
        """Run the untimed preparation on the real constants and values that no call will see, drawn if there is one.

        What took long is kept in the `file` for the next worker, which has equal constants: if it is data in memory of
        its own, and nothing else was set or imported.
        """
        if self.prepare is None:
            return
        kept = shelf.read(file, device) if file else None
        if kept is not None:
            self.state, self.setup_seconds = kept
            return
        throwaway = draw()
        with torch.device(device):
            before, started = _globals_of(self.prepare), time.perf_counter()
            self.state = (self.prepare(*throwaway),)
        wait_for(device)
        self.setup_seconds = time.perf_counter() - started
        if file is None or self.setup_seconds < SLOW_SECONDS or before != _globals_of(self.prepare):
            return
        if _is_data(self.state[0]) and not share_memory(self.state, throwaway):
            shelf.keep((self.state, self.setup_seconds), file)


@dataclass
class Source:
    """Where the code of a pair is: a file, or functions pickled in a notebook."""

    path: str = ""
    siblings: dict[str, str] = field(default_factory=dict)
    borrowed: dict[str, str] = field(default_factory=dict)
    pickled: str = ""  # a folder with a file for each function; replaces the file
    ranks: int = 1  # how many there are, if --set gave another number than the file
    begin: Callable[[], None] = lambda: None  # before a file is run: what it draws on import is alike in all instances

    _count = 0

    @property
    def is_one_file(self) -> bool:
        """Are inputs, reference and all sides instances of the same file?"""
        return not (self.borrowed or self.pickled)

    def load(self, name: str, stem: str | None = None) -> ModuleType:
        """A new instance of the pair's module (or of the sibling `stem`), in which `name` is."""
        Source._count += 1
        if self.pickled:
            from perfproof.worker import pickled

            return pickled.read(self.pickled, name)
        path = Path(self.siblings[stem] if stem else self.path)
        unique = f"_pair_{Source._count}_{path.stem}"
        spec = importlib.util.spec_from_file_location(unique, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} cannot be imported as Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[unique] = module  # Triton, dataclasses and pickle look their functions up there
        _let_children_import(unique, path)
        self.begin()
        spec.loader.exec_module(module)
        if self.ranks > 1:
            module.ranks = self.ranks  # type: ignore[attr-defined]
        return module

    def named(self, name: str) -> Any:
        """`inputs`, `reference` or `cost`, from the sibling it is borrowed from where it is."""
        module = self.load(name, self.borrowed.get(name))
        if name == "reference" and not self.pickled:
            stand_alone(module, [one for one in vars(module) if one.startswith(SIDES)], "the reference")
        return completed(getattr(module, name))

    def side(self, name: str) -> Side:
        """A side in an instance of its own; "twin" is the baseline once more."""
        wanted = "baseline" if name == "twin" else name
        started = time.perf_counter()
        stem, _, variant = self.borrowed.get(wanted, "").partition(":")  # "step_02", or "step_02:optimized_tiled"
        found = (variant or "optimized") if stem else wanted
        module = self.load(found, stem or None)
        if not self.pickled:
            stand_alone(module, ["reference"], name)
        function = completed(getattr(module, found))
        prepare = getattr(module, f"prepare_{found}", None)
        return Side(name, function, prepare, load_seconds=time.perf_counter() - started)


def _let_children_import(name: str, path: Path) -> None:
    """A spawned process is told functions by the names of their modules: a file of that name runs the pair's file.

    Such a process (of joblib, of a spawned pool, of a DataLoader) takes over sys.path.
    """
    if os.environ.get("TMPDIR") != os.getcwd():
        return  # only a worker has a folder that is removed after it
    folder = os.path.join(os.getcwd(), INSTANCES)
    os.makedirs(folder, exist_ok=True)
    text = f"__file__ = {str(path)!r}\nexec(compile(open(__file__).read(), __file__, 'exec'))\n"
    Path(folder, f"{name}.py").write_text(text)
    if folder not in sys.path:
        sys.path.append(folder)


def _globals_of(function: Callable) -> tuple:
    """What a function may have set, filled or imported elsewhere: names, sizes of containers, modules."""
    known = getattr(inspect.unwrap(function), "__globals__", {})
    filled = [
        (name, id(value), len(value) if isinstance(value, (dict, list, set)) else 0) for name, value in known.items()
    ]
    return (len(sys.modules), *filled)


def _is_data(value: Any) -> bool:
    """Tensors, arrays, numbers and texts in plain containers: nothing that does something when it is made."""
    if type(value) in (list, tuple, dict):
        return all(map(_is_data, value.values() if isinstance(value, dict) else value))
    return value is None or type(value) in (torch.Tensor, numpy.ndarray, int, float, bool, str, bytes)
