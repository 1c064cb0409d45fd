"""Names that must go on standing for what they stand for: torch's, NumPy's, the standard library's, the harness's own.

A pair that replaces a function reaches the other side, or the harness. A guard remembers before any pair is loaded. Its
`look` uses nothing but its own variables, not even built-in functions: nothing that a pair can replace lies between it
and what it looks at.
"""

import builtins
import copy
import copyreg
import gc
import hashlib
import hmac
import json
import math
import os
import random
import resource
import select
import signal
import socket
import statistics
import sys
import threading
import time
from collections.abc import Collection, Mapping
from types import ModuleType
from typing import Any

import numpy
import psutil
import torch
import torch.distributed

# Whose functions must be the same objects afterwards. New names are allowed that hide none: libraries load lazily.
GUARDED: tuple[Any, ...] = (
    *(builtins, copy, gc, hashlib, hmac, json, math, os, random, resource),
    *(select, signal, socket, statistics, threading, time),
    *(psutil, psutil.Process, numpy, numpy.linalg, numpy.random, numpy.testing),
    *(torch, torch.cuda, torch.cuda.Event, torch.cuda.Stream, torch.linalg, torch.random, torch.testing),
    *(torch.Tensor, torch.nn.functional, torch.nn.Module, torch.distributed),
)
MOVING = ("_", "__warningregistry__", "__builtins__", "_count", "_initialized", "_cached_device_count", "reduce_op")
COMPILED = ("manual_seed", "__init__", "__setstate__")  # of torch: torch.compile wraps these when it is first used

BUILT_IN = frozenset(dir(builtins))

# What the comparison is made of: a kernel can be replaced below every name.
OPERATORS = (
    *(
        "sub.Tensor",
        "abs",
        "mul.Tensor",
        "mul.out",
        "add.Tensor",
        "add.out",
        "div.Tensor",
        "isnan",
        "isinf",
        "where.self",
    ),
    *(
        "max",
        "amax",
        "argmax",
        "sort",
        "gather",
        "eq.Tensor",
        "ne.Tensor",
        "gt.Scalar",
        "gt.Tensor",
        "equal",
        "any",
        "all",
    ),
    *(
        "bitwise_and.Tensor",
        "bitwise_or.Tensor",
        "bitwise_not",
        "count_nonzero",
        "count_nonzero.dim_IntList",
        "nonzero",
    ),
    *("linalg_vector_norm", "stack", "cat", "clone", "detach", "_to_copy", "copy_", "lift_fresh", "scalar_tensor"),
    *("_local_scalar_dense", "select.int", "slice.Tensor", "unfold", "view", "_unsafe_view", "t"),
)
KERNELS = ("CPU:", "CUDA:", "AutogradCPU:", "AutogradCUDA:")


class Guard:
    def __init__(self) -> None:
        # Label, namespace, what has to stay, every name there was, and which of the others may not come (None: any).
        self._rows: list[tuple[str, Mapping[str, Any], dict[str, Any], set[str], Collection[str] | None]] = []
        self._module, self._moving, self._missing = ModuleType, MOVING, KeyError
        self._dump, self._keys = torch._C._dispatch_dump_table, KERNELS
        self._kernels: dict[str, str] = {}
        self.begin()

    def begin(self) -> None:
        """Remember everything as it is now: before a pair is loaded, and once more after its libraries were."""
        self._rows.clear()
        self._kernels = {operator: self._dump(f"aten::{operator}") for operator in OPERATORS}
        for owner in GUARDED:
            moving = MOVING + COMPILED if owner in (torch, torch.nn.Module, torch.random) else MOVING
            self.remember(_name(owner), vars(owner), _hidden_by(owner), moving)
        self.remember("sys.modules", sys.modules, hidden=())
        for name, module in list(sys.modules.items()):
            if name.split(".")[0] == "perfproof":
                self._seal(name, module)

    def remember(
        self,
        label: str,
        namespace: Mapping[str, Any],
        hidden: Collection[str] = BUILT_IN,
        moving: Collection[str] = MOVING,
    ) -> None:
        """The functions, classes and modules of a namespace must stay; names may come unless they hide something."""
        kept = {key: value for key, value in namespace.items() if key not in moving and _is_code(value)}
        self._rows.append((label, namespace, kept, set(namespace), hidden))

    def look(self) -> list[str]:
        """The names that stand for something else now, each with the word `replaced`."""
        found = []
        for label, namespace, before, known, hidden in self._rows:
            for key, value in before.items():
                try:
                    if namespace[key] is not value:
                        found.append(f"{label}.{key} replaced")
                except self._missing:
                    found.append(f"{label}.{key} replaced")
            if known.issuperset(namespace):
                continue
            for key in namespace:
                if key in known or key in self._moving or (hidden is not None and key not in hidden):
                    continue
                if namespace[key].__class__ is not self._module:  # modules are loaded later
                    found.append(f"{label}.{key} replaced")
        for operator, table in self._kernels.items():
            now = self._dump(f"aten::{operator}")
            if now != table and self._lines_of_kernels(now) != self._lines_of_kernels(table):
                found.append(f"the kernel of aten::{operator} replaced")
        return found

    def _seal(self, name: str, module: ModuleType) -> None:
        """Everything in a module of the harness must stay, and in its classes and tables, and nothing may come."""
        self._add_sealed(name, vars(module))
        for key, value in vars(module).items():
            if isinstance(value, type) and value.__module__ == name:
                _settle(value)
                self._add_sealed(f"{name}.{key}", vars(value))
            elif type(value) is dict and key not in MOVING:
                self._add_sealed(f"{name}.{key}", value)

    def _add_sealed(self, label: str, namespace: Mapping[Any, Any]) -> None:
        kept = {key: value for key, value in namespace.items() if key not in MOVING}
        self._rows.append((label, namespace, kept, set(namespace), None))

    def _lines_of_kernels(self, table: str) -> list[str]:
        return [line for line in table.splitlines() if line.startswith(self._keys)]


def _settle(cls: type) -> None:
    """Python writes two names into a class when it is first copied or asked for its annotations: let it do so now."""
    copyreg._slotnames(cls)  # type: ignore[attr-defined]
    _ = cls.__annotations__


def _is_code(value: Any) -> bool:
    return callable(value) or isinstance(value, (ModuleType, staticmethod, classmethod, property))


def _hidden_by(owner: Any) -> Collection[str]:
    """Names that would hide another one if they came: of a class what it inherits, of a module what is built in."""
    return frozenset(dir(owner)) if isinstance(owner, type) else BUILT_IN


def _name(owner: Any) -> str:
    return owner.__name__ if isinstance(owner, ModuleType) else f"{owner.__module__}.{owner.__qualname__}"
