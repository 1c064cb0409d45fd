"""Whether a function that `functools.lru_cache` remembers computes nearly every call, though it need not.

A cache has no answer if one of its arguments is new in every call (a position, a time) while another comes again, or if
it is too small. One whose arguments never come again is left alone: no other key and no other size would help.
"""

from types import CodeType, FrameType
from typing import Any

MISSES, TOO_SMALL = "[its cache has no answer] ", "[its cache is too small] "
FEWEST_CALLS, FEWEST_LOOKS = 200, 20
MOST_HITS = 0.05  # of the calls
NEW, AGAIN = 0.9, 0.1  # of the looks: shares in which an argument is new, and in which one was seen before
FEWEST_VALUES, FEWEST_AGAIN = 5, 3  # of an argument that comes again: different values, and looks at earlier ones
TOGETHER = ""  # all arguments, beside their names
PLAIN = (int, float, str, bytes, tuple, frozenset)


class CacheMisses:
    """Remembers the caches of functions, and the arguments of those that miss."""

    def __init__(self) -> None:
        self._caches: dict[CodeType, Any] = {}
        self._seen: dict[tuple[CodeType, str], set[int]] = {}
        self._last: dict[CodeType, int] = {}  # all arguments of the call that was looked at last
        self._objects: dict[CodeType, set[tuple[int, ...]]] = {}  # arguments that are no plain values, such as self
        self._looks: dict[CodeType, int] = {}
        self._news: dict[tuple[CodeType, str], int] = {}

    def mark(self, frames: list[FrameType]) -> list[str]:
        """For the program's frames, from the outermost: the function whose cache has no answer."""
        for place, frame in enumerate(frames):
            code, cache = frame.f_code, self._cache_of(frame, frames[place - 1] if place else None)
            if cache is None:
                continue
            self._look(frame)
            info = cache.cache_info()
            if info.hits + info.misses < FEWEST_CALLS or info.hits > MOST_HITS * (info.hits + info.misses):
                continue
            is_full = info.maxsize is not None and info.currsize >= info.maxsize
            if is_full and self._all_come_again(code):
                return [f"{TOO_SMALL}{code.co_name}"]
            if self._one_is_new(code):
                return [f"{MISSES}{code.co_name}"]
        return []

    def _cache_of(self, frame: FrameType, caller: FrameType | None) -> Any:
        code = frame.f_code
        if self._caches.get(code) is None and code.co_argcount:
            self._caches[code] = next((one for one in _candidates(frame, caller) if _remembers(one, code)), None)
        return self._caches.get(code)

    def _look(self, frame: FrameType) -> None:
        """A call that is still the one of the look before counts once, however long it takes."""
        code, values = frame.f_code, frame.f_locals
        given = {name: values.get(name) for name in code.co_varnames[: code.co_argcount]}
        numbers = {name: hash(value) for name, value in given.items() if isinstance(value, PLAIN)}
        objects = tuple(id(value) for name, value in given.items() if name not in numbers)
        self._objects.setdefault(code, set()).add(objects)
        together = hash((objects, *numbers.values()))
        if self._last.get(code) == together:
            return
        self._last[code] = together
        self._looks[code] = self._looks.get(code, 0) + 1
        for name, number in {**numbers, TOGETHER: together}.items():
            seen = self._seen.setdefault((code, name), set())
            self._news[code, name] = self._news.get((code, name), 0) + (number not in seen)
            seen.add(number)

    def _new_shares(self, code: CodeType) -> dict[str, float]:
        looks = self._looks.get(code, 0)
        if looks < FEWEST_LOOKS:
            return {}
        return {known[1]: news / looks for known, news in self._news.items() if known[0] is code}

    def _one_is_new(self, code: CodeType) -> bool:
        """Beside one that comes again and has several values; a flag, which always comes again, says nothing."""
        shares = {name: share for name, share in self._new_shares(code).items() if name != TOGETHER}
        looks = self._looks.get(code, 0)
        known = [self._news[code, name] for name in shares]
        again = any(news >= FEWEST_VALUES and looks - news >= FEWEST_AGAIN for news in known)
        return again and any(share >= NEW for share in shares.values())

    def _all_come_again(self, code: CodeType) -> bool:
        """Then the cache had the answer, and has forgotten it. Of several objects each has answers of its own."""
        return len(self._objects[code]) == 1 and self._new_shares(code).get(TOGETHER, 1.0) <= 1 - AGAIN


def _candidates(frame: FrameType, caller: FrameType | None) -> list[Any]:
    """What may be the function's cache: by its own name, in its module or class, or as an attribute or variable."""
    code, found = frame.f_code, []
    found.append(frame.f_globals.get(code.co_name))
    first = frame.f_locals.get(code.co_varnames[0])
    for kind in type(first).__mro__ if first is not None else ():
        found.append(vars(kind).get(code.co_name))
    for holder in (first, caller.f_locals.get("self") if caller is not None else None):
        found += list(getattr(holder, "__dict__", {}).values())[:100]
    if caller is not None:
        found += list(caller.f_locals.values())
        found += [caller.f_globals.get(name) for name in caller.f_code.co_names]
    return found


def _remembers(one: Any, code: CodeType) -> bool:
    if type(one).__name__ != "_lru_cache_wrapper":
        return False
    wrapped = one.__wrapped__
    return getattr(getattr(wrapped, "__func__", wrapped), "__code__", None) is code
