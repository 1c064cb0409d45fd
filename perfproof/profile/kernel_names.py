"""The identity of a kernel: its name, with the noise of templates and arguments kept apart.

`void at::native::vec_kernel<4, float>(int, float*)` is `at::native::vec_kernel` with the template `<4, float>`. Two
builds of the same source differ in the template; two kernels of different names are different things.
"""

import ctypes
from functools import cache, lru_cache
from typing import Any, NamedTuple

OPEN, CLOSE = "<", ">"
# As compilers write it, as ncu and nsys do, and what ncu leaves of it when it shortens a name: `void unnamed>::f`.
ANONYMOUS = ("(anonymous namespace)::", "<unnamed>::", "unnamed>::")
MOST_KEPT = 4096  # names that are not undone again


class KernelName(NamedTuple):
    plain: str
    template: str = ""


def split_name(name: str) -> KernelName:
    """From a mangled or demangled name. Names that no C++ compiler made (Triton, aten::mm) stay as they are."""
    text = demangled(name.strip())
    for nameless in ANONYMOUS:
        text = text.replace(nameless, "")
    text = text.removeprefix("void ")
    plain: list[str] = []
    template: list[str] = []
    depth = 0
    for letter in text:
        if letter == OPEN:
            depth += 1
        if letter == "(" and depth == 0 and plain:
            break
        (template if depth else plain).append(letter)
        if letter == CLOSE and depth:
            depth -= 1
    found = "".join(plain).strip()
    if not found or depth:
        return KernelName(text or name)
    return KernelName(found, "".join(template))


@lru_cache(MOST_KEPT)
def demangled(name: str) -> str:
    """The name as C++ writes it; as it is where it is not mangled, or nothing here can undo it."""
    demangle = _demangler() if name.startswith("_Z") else None
    if demangle is None or "\0" in name:
        return name
    status = ctypes.c_int()
    text = demangle(name.encode(errors="replace"), None, None, ctypes.byref(status))
    if status.value != 0 or not text:
        return name
    found = ctypes.string_at(text).decode(errors="replace")
    _free()(ctypes.c_void_p(text))
    return found


@cache
def _demangler() -> Any:
    try:
        function = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_void_p
    return function


@cache
def _free() -> Any:
    free = ctypes.CDLL(None).free
    free.restype = None
    return free
