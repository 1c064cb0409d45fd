"""Tell whether a function is called again with arguments that it has had before, from frames that are sampled.

Only arguments that say by themselves what they are can be compared: numbers, text, paths, lists and sets of these, and
arrays and tensors that are the same object, unchanged as far as a few elements or torch's count of changes tell. For
the program's own functions, which may change a few elements, an array is compared as a whole if it is small. An object
of the program's own is what its attributes are. A function with any other argument (a model, an iterator) is not looked
at, nor is one of the program's own that names what may differ from call to call: random numbers, clocks, input, global
objects.

Two samples are of different calls if their frames differ, or if a plain value in the functions that call has changed.
"""

import hashlib
import re
import sys
import weakref
from collections.abc import Callable
from pathlib import PurePath
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

PLAIN = (int, float, complex, str, bytes, bool, type(None), PurePath)
LONGEST_LIST, LONGEST_PLAIN = 32, 10_000  # elements: of any kind; of numbers and texts alone
LARGEST_WHOLE = 65_536  # bytes of an array that is compared as a whole
MOST_ATTRIBUTES = 24
PLAIN_TYPES = frozenset({int, float, complex, str, bytes, bool, type(None)})
LONGEST_TEXT = 1_000_000
ELEMENTS = 16  # of an array, that are compared
MOST_CALLS = 10_000  # that are remembered
RESUMED = 0x20 | 0x80 | 0x200  # generators and coroutines: one call that is sampled at many moments
VARARGS, KEYWORDS = 0x04, 0x08
IMPURE = re.compile(
    r"rand|rng|seed|sampl|shuffl|choice|time|clock|now|sleep|read|recv|open|input|next|print|write|global"
)
UNKNOWN = object()


class SameCalls:
    """One for the threads of a program; remembers calls by function and arguments."""

    def __init__(self, is_own: Callable[[str], bool] = lambda file: False) -> None:
        """`is_own`: whether a file is the program's."""
        self._is_own = is_own
        self._calls: dict[tuple[CodeType, Any], tuple[int, int]] = {}  # to the frame and the moment of the first one
        self._moments: dict[int, int] = {}  # by thread
        self._objects: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def repeated(self, frames: list[tuple[FrameType, bool]]) -> FrameType | None:
        """The outermost frame of a call that was made before; frames from the outermost, and whether each is own.

        Of a library only what the program's own lines call: what it does inside is its own business.
        """
        moment, called_by_own = 0, False
        for frame, own in frames:
            arguments = self._arguments(frame, own) if own or called_by_own else UNKNOWN
            if arguments is not UNKNOWN:
                call, now = (frame.f_code, arguments), (id(frame), moment)
                first = self._calls.get(call)
                if first is None and len(self._calls) < MOST_CALLS:
                    self._calls[call] = now
                elif first is not None and first != now:
                    return frame
            moment, called_by_own = hash((moment, _moment(frame))) if own else moment, own
        return None

    def moved_on(self, thread: int, frames: list[tuple[FrameType, bool]]) -> bool:
        """Whether plain values of the thread's own functions have changed since it was asked last: a loop goes on."""
        moment = self.moment_now([frame for frame, own in frames if own])
        before, self._moments[thread] = self._moments.get(thread), moment
        return before is not None and before != moment

    def moment_now(self, frames: list[FrameType]) -> int:
        """A number for the plain values that functions have now."""
        return hash(tuple(_moment(frame) for frame in frames))

    def moment(self, thread: int) -> int:
        """A number for the plain values that the thread's own functions had when it was asked last."""
        return self._moments.get(thread, 0)

    def _arguments(self, frame: FrameType, own: bool) -> Any:
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + _extra(code)]
        if not names or code.co_flags & RESUMED or (own and not is_pure(code, frame.f_globals)):
            return UNKNOWN
        values = frame.f_locals
        found = tuple(self._value(values[name], own) if name in values else None for name in names)
        return UNKNOWN if any(one is UNKNOWN for one in found) or not any(found) else found

    def _value(self, value: Any, own: bool, depth: int = 0) -> Any:
        """The program's own functions may change a few elements of an array, which only torch counts."""
        if isinstance(value, (str, bytes)):
            return (type(value).__name__, len(value), hash(value)) if len(value) <= LONGEST_TEXT else UNKNOWN
        if isinstance(value, PLAIN):
            return type(value).__name__, value
        if isinstance(value, dict):
            value = tuple(value.items())
        if isinstance(value, (list, tuple, set, frozenset)):
            if len(value) <= LONGEST_PLAIN and PLAIN_TYPES.issuperset(map(type, value)):
                kept = value if isinstance(value, (set, frozenset)) else tuple(value)
                return type(value).__name__, len(value), hash(kept if isinstance(kept, tuple) else frozenset(kept))
            if len(value) > LONGEST_LIST or depth > 2 or isinstance(value, (set, frozenset)):
                return UNKNOWN
            found = tuple(self._value(one, own, depth + 1) for one in value)
            return UNKNOWN if any(one is UNKNOWN for one in found) else found
        if isinstance(value, (type, ModuleType, BuiltinFunctionType)):
            return id(value)
        kind = type(value).__name__
        if kind == "ndarray" and own:
            return _whole(value)
        if kind in ("Tensor", "Parameter", "ndarray"):
            return self._object(value, kind) if kind != "Parameter" or not own else UNKNOWN
        return self._attributes(value, own, depth)

    def _attributes(self, value: Any, own: bool, depth: int) -> Any:
        """The attributes of an object of the program's own: one of a library may hold more than they say."""
        module = sys.modules.get(type(value).__module__)
        is_own = type(value).__module__ == "__main__" or self._is_own(getattr(module, "__file__", None) or "")
        held = getattr(value, "__dict__", None)
        if not is_own or not held or len(held) > MOST_ATTRIBUTES or depth > 1 or isinstance(value, type):
            return UNKNOWN
        found = tuple((name, self._value(one, own, depth + 1)) for name, one in held.items())
        return UNKNOWN if any(one is UNKNOWN for _, one in found) else (type(value).__name__, found)

    def _object(self, value: Any, kind: str) -> Any:
        """An array or tensor: known only as the same object with the same contents."""
        contents = _changes(value) if kind != "ndarray" else _elements(value)
        if contents is None:
            return UNKNOWN
        before = self._objects.get(id(value))
        number = before[1] if before and before[0]() is value else object()
        if before is None or number is not before[1]:
            self._objects[id(value)] = (weakref.ref(value), number)
        return number, contents


def is_pure(code: CodeType, known: dict[str, Any]) -> bool:
    """Whether a function names nothing that changes: as far as its names tell."""
    if any(IMPURE.search(name.lower()) for name in code.co_names) or code.co_freevars:
        return False
    values = [known[name] for name in code.co_names if name in known]
    constant = (*PLAIN, tuple, frozenset, type, ModuleType, FunctionType, BuiltinFunctionType, re.Pattern)
    return all(isinstance(one, constant) for one in values)


def _extra(code: CodeType) -> int:
    return bool(code.co_flags & VARARGS) + bool(code.co_flags & KEYWORDS)


def _whole(array: Any) -> Any:
    """All elements of a small array."""
    if array.dtype.hasobject or array.nbytes > LARGEST_WHOLE:
        return UNKNOWN
    return array.shape, array.dtype.str, hashlib.blake2b(array.tobytes(), digest_size=16).digest()


def _changes(tensor: Any) -> int | None:
    """How often it was changed in place; None if torch does not count that (under torch.inference_mode)."""
    return None if tensor.is_inference() else tensor._version


def _elements(array: Any) -> Any:
    if array.dtype.hasobject:
        return None
    stride = max(1, array.size // ELEMENTS)
    values = [array.flat[place] for place in range(0, array.size, stride)][: ELEMENTS + 1]
    return array.shape, hashlib.blake2b(repr(values).encode(), digest_size=8).digest()


def _moment(frame: FrameType) -> int:
    """The plain numbers and texts that a function's lines have at this moment."""
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames if code.co_varnames else code.co_names
    plain = [(name, values[name]) for name in names if isinstance(values.get(name), (int, float, str))]
    return hash(tuple((name, hash(value)) for name, value in plain))
