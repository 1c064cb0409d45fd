"""Functions on their way into a worker: each kind arrives and computes the same."""

import ctypes
import functools
import importlib.util
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from weakref import WeakValueDictionary

import pytest
import torch

from perfproof.core.errors import UsageError
from perfproof.worker import pickled

X = torch.linspace(-1, 1, 12).reshape(3, 4)


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((4,), 2.0))

    def forward(self, x, shift=1.0):
        return x * self.weight + shift

    def twice(self, x):
        return 2 * self.forward(x)


def plain(x, shift=1.0):
    return 2 * x + shift


def decorated(x):
    return 2 * x + 1.0


def decorate():
    """As `@torch.compile(backend="eager")` over `decorated`; there it would import the compiler for every test."""
    globals()["decorated"] = torch.compile(backend="eager")(decorated)
    return decorated


def doubled(x, scale: float):
    return x * scale + 1.0


def kept():
    class Kept:  # travels by value, as a class of a script does
        lock = threading.RLock()

        @functools.cached_property
        def factor(self):
            return 2.0

        @functools.singledispatchmethod
        def scaled(self, x):
            raise TypeError(type(x))

        @scaled.register
        def _(self, x: torch.Tensor):
            with self.lock:
                return self.factor * x + 1.0

    return Kept().scaled


def library():
    made = ctypes.CDLL("libm.so.6")
    made.sqrt.restype, made.sqrt.argtypes = ctypes.c_double, [ctypes.c_double]
    return made


KINDS = {
    "function": lambda: plain,
    "lambda": lambda: lambda x: 2 * x + 1.0,
    "closure": lambda: (lambda by: lambda x: by * x + 1.0)(2.0),
    "partial": lambda: functools.partial(doubled, scale=2.0),
    "module": Scaled,
    "method": lambda: (lambda module: lambda x: module.twice(x) / 2)(Scaled()),
    "bound method": lambda: Scaled().forward,
    "compiled function": lambda: torch.compile(plain, backend="eager"),
    "compiled module": lambda: torch.compile(Scaled(), backend="eager"),
    "decorated": decorate,
    "cached property, lock and dispatch": kept,
    "pool of threads": lambda: (lambda pool: lambda x: pool.submit(plain, x).result())(ThreadPoolExecutor(1)),
    "C library": lambda: (lambda c: lambda x: x * c.sqrt(4.0) + 1.0)(library()),
    "C function": lambda: (lambda root: lambda x: x * root(4.0) + 1.0)(library().sqrt),
    "context variable": lambda: (lambda one: lambda x: x * one.get() + 1.0)(ContextVar("factor", default=2.0)),
    "thread's own": lambda: (lambda own: lambda x: x * getattr(own, "factor", 2.0) + 1.0)(threading.local()),
    "weak references": lambda: (lambda known: lambda x: 2 * x + 1.0 + len(known))(WeakValueDictionary()),
    "scripted function": lambda: torch.jit.script(lambda_free),
    "traced module": lambda: torch.jit.trace(Scaled(), (X,)),
}


def lambda_free(x):
    return 2 * x + 1.0


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_function_arrives(kind, tmp_path):
    pickled.write({"baseline": KINDS[kind]()}, tmp_path)
    arrived = pickled.read(str(tmp_path), "baseline").baseline
    torch.testing.assert_close(arrived(X), 2 * X + 1.0)


@pytest.mark.parametrize("mode", [None, "max-autotune-no-cudagraphs"])
def test_a_compiled_function_is_compiled_again_with_its_settings(mode, tmp_path):
    given = torch.compile(plain, mode=mode, fullgraph=True, dynamic=False)
    function, backend, settings = pickled._compiled(given)
    assert function is plain and backend == "inductor"
    assert (settings["fullgraph"], settings["dynamic"]) == (True, False)
    assert settings["options"].get("max_autotune", False) == (mode is not None)
    pickled.write({"optimized": given}, tmp_path)
    again = pickled._compiled(pickled.read(str(tmp_path), "optimized").optimized)
    assert again is not None and again[1:] == (backend, settings)


def test_a_function_of_the_user_s_module_is_found_where_it_was_imported_from(tmp_path, monkeypatch):
    (tmp_path / "own_module_here.py").write_text("def f(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import own_module_here

    folder = tmp_path / "functions"
    folder.mkdir()
    pickled.write({"baseline": own_module_here.f}, folder)
    assert len((folder / "baseline").read_bytes()) < 200, "by its name, not by value"
    assert str(tmp_path) in pickled.own_folders()
    assert not [place for place in pickled.own_folders() if "site-packages" in place]
    sys.modules.pop("own_module_here")


@pytest.mark.parametrize("kind", ["function", "object", "partial"])
def test_what_was_loaded_from_a_path_travels_by_value(kind, tmp_path):
    code = "class F:\n    def __call__(self, x):\n        return 2 * x\n\n\ndef f(x):\n    return 2 * x\n"
    (tmp_path / "at_a_path.py").write_text(code)
    spec = importlib.util.spec_from_file_location("at_a_path", tmp_path / "at_a_path.py")
    module = sys.modules["at_a_path"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path / "functions"
    folder.mkdir()
    given = {"function": lambda: module.f, "object": lambda: module.F(), "partial": lambda: functools.partial(module.f)}
    pickled.write({"baseline": given[kind]()}, folder)
    del sys.modules["at_a_path"]
    assert pickled.read(str(folder), "baseline").baseline(4) == 8


def test_what_cannot_be_handed_over_is_one_line(tmp_path):
    numbers = iter(range(3)), (n for n in range(3))
    with pytest.raises(UsageError, match="optimized cannot be handed to another process") as caught:
        pickled.write({"optimized": lambda x: (x, numbers)}, tmp_path)
    assert "\n" not in str(caught.value)


def test_a_module_of_settings_travels_by_its_name_and_an_exported_program_is_refused_in_words(tmp_path):
    from torch._inductor import config

    pickled.write({"baseline": lambda: config.max_autotune}, tmp_path)
    assert pickled.read(str(tmp_path), "baseline").baseline() is config.max_autotune
    exported = torch.export.export(Scaled(), (X,)).module()
    with pytest.raises(UsageError, match="the module of an exported program cannot be copied"):
        pickled.write({"optimized": lambda x: exported(x)}, tmp_path)


def test_a_cached_function_of_a_script_travels_with_an_empty_cache_even_if_it_calls_itself(tmp_path):
    script = """
import functools
from pathlib import Path
from perfproof.worker import pickled

@functools.lru_cache(maxsize=50)
def count(n):
    return n if n < 2 else count(n - 1) + count(n - 2)

count(30)
pickled.write({"f": lambda n: (count(n), count.cache_info()), "g": count}, Path("."))
"""
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    answer, info = pickled.read(str(tmp_path), "f").f(20)
    assert answer == 6765 and (info.maxsize, info.misses) == (50, 21)
    assert pickled.read(str(tmp_path), "g").g(10) == 55
