"""A kernel's name and the types of its parameters, from its mangled name in the binary.

C++ writes the parameter types into the name, `_Z5scalePKfPffi` is `scale(float const*, float*, float, int)`, also for
an instance of a template. `extern "C"` writes nothing.
"""

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

from perfproof.cuda.errors import CudaError


@dataclass(frozen=True)
class Signature:
    name: str  # "foo::scale<float, 4>"
    types: tuple[str, ...] | None  # None: extern "C", unknown

    def __str__(self) -> str:
        return self.name if self.types is None else f"{self.name}({', '.join(self.types)})"

    def is_called(self, name: str) -> bool:
        """Is this the kernel that a person means by `name`, with or without its namespace?"""
        return self.name == name or self.name.endswith(f"::{name}")


def read_signature(mangled: str) -> Signature:
    text = _demangle(mangled) if mangled.startswith("_Z") else mangled
    if not text.endswith(")"):
        return Signature(text, None)
    opened = _matching_parenthesis(text)
    name = text[:opened].removeprefix("void ")  # only an instance of a template says what it returns
    types = _split(text[opened + 1 : -1])
    return Signature(name, () if types == ("void",) else types)


def _matching_parenthesis(text: str) -> int:
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if depth == 0:
            return place
    return 0


def _split(inside: str) -> tuple[str, ...]:
    """At the commas that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(inside):
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            parts.append(inside[start:place].strip())
            start = place + 1
    last = inside[start:].strip()
    return (*parts, last) if last else tuple(parts)


def _demangle(mangled: str) -> str:
    status = ctypes.c_int()
    text = _demangler()(mangled.encode(), None, None, ctypes.byref(status))
    if not text:
        return mangled
    try:
        return ctypes.string_at(text).decode()
    finally:
        _free()(text)


@cache
def _demangler() -> Any:
    try:
        function = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except OSError as error:
        raise CudaError(f"libstdc++, which torch needs too, cannot be loaded: {error}") from None
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
    return function


@cache
def _free() -> Any:
    function = ctypes.CDLL(None).free
    function.argtypes, function.restype = [ctypes.c_void_p], None
    return function
