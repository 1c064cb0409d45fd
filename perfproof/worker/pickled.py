"""Functions of a program on their way into a worker: a file for each, written by value if no module holds them.

A compiled or scripted function cannot travel; what it was made of can, and is compiled again where it arrives. So it is
with locks, pools of threads and the like.
"""

import contextlib
import functools
import io
import os
import pickletools
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle

from perfproof.core.errors import UsageError
from perfproof.worker import made_again
from perfproof.worker.libraries import is_installed


def write(functions: Mapping[str, Callable], folder: Path, called: Mapping[str, str] = {}) -> None:
    """`called` says how the caller knows a function, if that is not its name here."""
    for name, function in functions.items():
        with open(folder / name, "wb") as file, _by_value(_module_of(function)):
            try:
                _Pickler(file).dump(function)
            except Exception as error:
                why = " ".join(f"{type(error).__name__}: {error}".split())
                raise UsageError(
                    f"{called.get(name, name)} cannot be handed to another process ({why}); define it in a module, or "
                    "make what it needs inside it"
                ) from None


def read(folder: str, name: str) -> ModuleType:
    """A module that holds this one function."""
    module = ModuleType("_pair_from_notebook")
    with open(Path(folder) / name, "rb") as file:
        setattr(module, name, cloudpickle.load(file))
    return module


def texts_in(folder: Path) -> Iterator[str]:
    """Every text that the functions in this folder hold: in their code, and in the values that they use."""
    for file in sorted(folder.iterdir()):
        for operation, value, _ in pickletools.genops(file.read_bytes()):
            if isinstance(value, str) and "UNICODE" in operation.name:
                yield value


def own_folders() -> list[str]:
    """Where the caller's modules are imported from, without what is installed."""
    places = [os.path.abspath(place) for place in sys.path]
    return [place for place in dict.fromkeys(places) if os.path.isdir(place) and not is_installed(f"{place}{os.sep}")]


def _module_of(function: Any) -> ModuleType | None:
    wrapped = getattr(function, "func", function)  # of a partial
    return sys.modules.get(getattr(wrapped, "__module__", None) or type(wrapped).__module__)


@contextlib.contextmanager
def _by_value(module: ModuleType | None) -> Iterator[None]:
    """A module that no name leads to, because it was loaded from a path, travels with its function."""
    if module is None or module.__name__ == "__main__" or _can_be_imported(module.__name__):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _can_be_imported(name: str) -> bool:
    """Asked without importing anything, and without what is already imported."""
    top = name.partition(".")[0]
    return any(getattr(finder, "find_spec", lambda *_: None)(top, None) for finder in sys.meta_path)


class _Pickler(cloudpickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if (made_of := _compiled(value)) is not None:
            return compile_again, made_of
        if (script := _script(value)) is not None:
            return load_script, (script,)
        if (found := made_again.recipe(value)) is not None:
            return found
        if "_StatefulGraphModule" in [kind.__name__ for kind in type(value).__mro__]:
            raise TypeError("the module of an exported program cannot be copied")
        if isinstance(value, functools._lru_cache_wrapper) and not _can_be_imported(value.__module__):
            # In two steps: a function that calls itself has its cache among its globals.
            return cache_again, (value.cache_parameters(),), value.__wrapped__, None, None, put_into_cache
        return super().reducer_override(value)


def compile_again(function: Callable, backend: Any, options: dict[str, Any]) -> Callable:
    import torch

    return torch.compile(function, backend=backend, **options)


def cache_again(parameters: dict[str, Any]) -> Any:
    """An empty `functools.lru_cache`, for a function that comes later."""

    def function(*arguments: Any, **named: Any) -> Any:
        return function.inner(*arguments, **named)  # type: ignore[attr-defined]

    return functools.lru_cache(**parameters)(function)


def put_into_cache(cache: Any, function: Callable) -> None:
    cache.__wrapped__.inner = function
    functools.update_wrapper(cache, function)


def load_script(data: bytes) -> Any:
    import torch

    return torch.jit.load(io.BytesIO(data))


def _compiled(value: Any) -> tuple[Any, Any, dict[str, Any]] | None:
    """What `torch.compile` was given: the function or module, the backend, and its settings."""
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    if dynamo is None or not callable(value):
        return None
    if isinstance(value, dynamo.OptimizedModule):
        inner, context = value._orig_mod, value.dynamo_ctx
    elif "_torchdynamo_orig_callable" in getattr(value, "__dict__", {}) and hasattr(value, "get_compiler_config"):
        (context,) = (cell.cell_contents for cell in value.get_compiler_config.__closure__)
        inner = value._torchdynamo_orig_callable
    else:
        return None
    backend = context.callback
    while (next_one := _wrapped(backend)) is not None:
        backend = next_one
    settings = {"fullgraph": getattr(context, "fullgraph", False), "dynamic": getattr(backend, "dynamic", None)}
    name = getattr(backend, "compiler_name", None)
    if name == "inductor":
        return inner, name, {**settings, "options": dict(backend.config)}
    return inner, getattr(backend, "compiler_fn", backend), settings


def _wrapped(backend: Any) -> Any:
    return getattr(backend, "_torchdynamo_orig_backend", None) or getattr(backend, "_torchdynamo_orig_callable", None)


def _script(value: Any) -> bytes | None:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, (torch.jit.ScriptFunction, torch.jit.ScriptModule)):
        return None
    return value.save_to_buffer()
