"""Where the functions that a Python program compares are defined: file, line, and what the file held then."""

import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from perfproof.core.documents import FunctionSource
from perfproof.pairs.source import shown

LAMBDA = "<lambda>"


def file_of(function: Callable[..., Any]) -> FunctionSource | None:
    """None for a lambda, for what is not written in Python, and for what was typed into a console or a notebook."""
    code = getattr(_inner(function), "__code__", None)
    file = Path(getattr(code, "co_filename", ""))
    if code is None or code.co_name == LAMBDA or file.suffix != ".py" or not file.is_file():
        return None
    try:
        data = file.read_bytes()
    except OSError:
        return None
    digest = hashlib.sha256(data).hexdigest()
    return FunctionSource(path=shown(file.absolute()), name=code.co_name, line=code.co_firstlineno, sha256=digest)


def _inner(function: Any) -> Any:
    """What a partial, a method or a decorator calls; a module is called by its `forward`."""
    while hasattr(function, "func"):
        function = function.func
    forward = getattr(function, "forward", None)
    if callable(forward) and not inspect.isfunction(function):
        function = forward
    return inspect.unwrap(getattr(function, "__func__", function))
