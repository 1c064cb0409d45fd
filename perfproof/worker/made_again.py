"""Objects that belong to a process and cannot be copied out of it, but can be made again in another: locks, pools.

They come along with functions of a program: `functools.cached_property` has a lock, `functools.singledispatch` a cache
of weak references, and a script may keep a pool of threads or a C library in a global. What they hold for one process
alone, such as the owner of a lock, stays behind.
"""

import contextvars
import ctypes
import importlib
import queue
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

_LOCKS = {type(threading.Lock()): threading.Lock, type(threading.RLock()): threading.RLock}


def recipe(value: Any) -> tuple[Callable, tuple] | None:
    """What makes the object again, as `pickle` wants it; None for any other object."""
    kind = type(value)
    if kind in _LOCKS:
        return _LOCKS[kind], ()
    if isinstance(value, ModuleType) and kind is not ModuleType and sys.modules.get(value.__name__) is value:
        return importlib.import_module, (value.__name__,)  # torch keeps settings in modules of a class of their own
    if kind is queue.SimpleQueue and value.empty():
        return queue.SimpleQueue, ()
    if kind in (weakref.WeakKeyDictionary, weakref.WeakValueDictionary):
        return kind, (dict(value),)
    if kind is threading.local:
        return _local, (dict(value.__dict__),)
    if kind is contextvars.ContextVar:
        return _variable, (value.name, *_values(value))
    if kind is ThreadPoolExecutor:
        return kind, (value._max_workers, value._thread_name_prefix, value._initializer, value._initargs)
    if isinstance(value, ctypes.CDLL):
        return _library, (kind, value._name, {name: _types(one) for name, one in vars(value).items() if _is_call(one)})
    if _is_call(value):
        owner = next((one for one in (value._objects or {}).values() if isinstance(one, ctypes.CDLL)), None)
        return (_call, (owner, value.__name__, *_types(value))) if owner else None
    return None


def _local(values: dict[str, Any]) -> threading.local:
    made = threading.local()
    made.__dict__.update(values)
    return made


def _values(variable: contextvars.ContextVar) -> tuple[tuple, tuple]:
    """The default and the value in this context, each in a tuple that is empty if there is none."""
    return contextvars.Context().run(_value, variable), _value(variable)


def _value(variable: contextvars.ContextVar) -> tuple:
    try:
        return (variable.get(),)
    except LookupError:
        return ()


def _variable(name: str, default: tuple, value: tuple) -> contextvars.ContextVar:
    made = contextvars.ContextVar(name, default=default[0]) if default else contextvars.ContextVar(name)
    if value:
        made.set(value[0])
    return made


def _is_call(value: Any) -> bool:
    return isinstance(value, ctypes._CFuncPtr)  # type: ignore[attr-defined]


def _types(call: Any) -> tuple[Any, Any]:
    return call.restype, call.argtypes


def _library(kind: type[ctypes.CDLL], name: str | None, calls: dict[str, tuple[Any, Any]]) -> ctypes.CDLL:
    library = kind(name)
    for one, types in calls.items():
        _call(library, one, *types)
    return library


def _call(library: ctypes.CDLL, name: str, result: Any, arguments: Any) -> Any:
    call = getattr(library, name)
    call.restype, call.argtypes = result, arguments
    return call
