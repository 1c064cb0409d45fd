"""What a call leaves for later ones: a table of words that were seen, a cache of functions, a result to start from.

Every timed call gets new values, but parts of them come again: words, keys, nodes. What an earlier call has worked out
for those is then free, and the time of a call depends on how many were made before it. Memory by shape is no such
table: other values of one shape add no entry.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

from perfproof.worker.verify.case import Contract, attempt
from perfproof.worker.verify.outputs import same_bits

MOST_PLACES, MOST_ENTRIES, DEEPEST = 5_000, 200_000, 4
LIBRARY = os.path.dirname(os.__file__)
PLAIN = (int, float, complex, str, bytes, bool, type(None), ModuleType)

Call = Callable[[tuple], Any]
Table = tuple[int, frozenset[int]]  # how many entries, and what tells them apart
Entries = dict[str, Table]  # by place
NONE = frozenset[int]()


def check(
    contract: Contract,
    sides: Mapping[str, Call],
    roots: Mapping[str, Iterable[Any]],
    drawn: tuple,
    other: tuple,
) -> list[str]:
    """Lines about variants that keep entries for `other` values beside those for the `drawn` ones, or their results.

    `roots` are what each side can reach: its function, what was prepared for it, modules. The baseline is the first.
    """
    (first, baseline), *variants = sides.items()
    usual = _grown(contract, baseline, [*roots[first]], drawn, other)
    wavers = contract.distribution or _depends(contract, baseline, drawn, other)
    said = []
    for name, call in variants:
        kept = _grown(contract, call, [*roots[name]], drawn, other)
        if found := [place for place in kept if place not in usual]:
            before, after = kept[found[0]]
            said.append(
                f"{name} keeps what it worked out for later calls, in {found[0]} ({before:,} entries after a call, "
                f"{after:,} after one with other values): its time holds for a program that has made many calls"
            )
        if not wavers and _depends(contract, call, drawn, other):
            said.append(
                f"{name} gives other answers to the same values after a call on other ones: it starts from those"
            )
    return said


def _depends(contract: Contract, call: Call, drawn: tuple, other: tuple) -> bool:
    """Does the answer, to the last bit, depend on the call before? A start from its result ends a little elsewhere.

    It is asked twice, because threads may add in any order.
    """
    answers = []
    for before in (drawn, other, drawn, other):
        attempt(call, contract.copied(before))
        answers.append(attempt(call, contract.copied(drawn)))
    if any(isinstance(one, Exception) for one in answers):
        return False
    first, after, again, after_again = answers
    return same_bits(first, again) and same_bits(after, after_again) and not same_bits(first, after)


def _grown(contract: Contract, call: Call, roots: list[Any], drawn: tuple, other: tuple) -> dict[str, tuple[int, int]]:
    """Where a call on other values leaves other entries, and how many there are before and after it."""
    attempt(call, contract.copied(drawn))
    if not (before := entries(roots)):
        return {}
    attempt(call, contract.copied(other))
    after = entries(roots)
    grown = {place: (before[place][0], after[place][0]) for place in after if _has_new(before.get(place), after[place])}
    if not grown:
        return {}
    attempt(call, contract.copied(drawn))  # a table that every call empties has nothing of the other values then
    last = entries(roots)
    return {place: sizes for place, sizes in grown.items() if _has_new(before[place], last.get(place, (0, NONE)))}


def _has_new(before: Table | None, after: Table) -> bool:
    return before is not None and before[0] > 0 < after[0] and not after[1] <= before[1]


def entries(roots: Iterable[Any]) -> Entries:
    """All tables that are reached from these objects: dicts, sets, and caches of functions by their misses."""
    found: Entries = {}
    known: set[int] = set()
    ahead = [(place, value, 0) for root in roots for place, value in _named(root)]
    while ahead and len(known) < MOST_PLACES:
        place, value, depth = ahead.pop()
        if isinstance(value, PLAIN) or id(value) in known:
            continue
        known.add(id(value))
        if (table := _table(value)) is not None:
            found[place] = table
        if depth < DEEPEST:
            ahead += [(name, one, depth + 1) for name, one in _parts(place, value)]
    return found


def _named(root: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(root, ModuleType):
        yield from ((f"`{name}`", value) for name, value in list(vars(root).items()) if not name.startswith("__"))
    elif isinstance(root, dict) and "__builtins__" in root:  # the names of a file
        yield from ((f"`{name}`", value) for name, value in list(root.items()) if not str(name).startswith("__"))
    elif isinstance(root, FunctionType):
        yield f"`{root.__name__}`", root
    else:
        yield "what was prepared", root


def _table(value: Any) -> Table | None:
    if callable(info := getattr(value, "cache_info", None)) and not isinstance(value, type):
        told = attempt(lambda _: info(), ())
        misses, size = getattr(told, "misses", None), getattr(told, "currsize", None)
        if type(misses) is int and type(size) is int:
            return size, frozenset(range(min(misses, MOST_ENTRIES)))
    if isinstance(value, (dict, set)):
        return len(value), frozenset(map(_told, list(value)[:MOST_ENTRIES]))
    return None


def _told(key: Any) -> int:
    try:
        return hash(key)
    except TypeError:
        return id(key)


def _parts(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What a function, a class or an object of the program's own keeps; not what libraries keep for it."""
    bare = place.strip("`")
    if isinstance(value, FunctionType):
        for number, cell in enumerate(value.__closure__ or ()):
            try:
                yield f"`{value.__code__.co_freevars[number]}`", cell.cell_contents
            except ValueError:  # not filled yet
                continue
        yield from ((f"a default of `{value.__name__}`", one) for one in value.__defaults__ or ())
        yield from ((f"a default of `{value.__name__}`", one) for one in (value.__kwdefaults__ or {}).values())
        yield from ((f"`{value.__name__}.{name}`", one) for name, one in list(vars(value).items()))
    elif isinstance(value, (list, tuple)):
        yield from ((place, one) for one in value[:100])
    elif isinstance(value, dict):
        yield from ((place, one) for one in list(value.values())[:100])
    elif isinstance(getattr(value, "__func__", value), FunctionType):  # a method, or a class's function
        yield place, value.__func__
    elif _is_own(value):
        yield from ((f"`{bare}.{name}`", one) for name, one in list(getattr(value, "__dict__", {}).items()))
        yield from ((f"`{bare}.{name}`", getattr(value, name, None)) for name in _slots(type(value)))
        if not isinstance(value, type):
            yield f"`{type(value).__name__}`", type(value)


def _slots(kind: type) -> list[str]:
    told = [getattr(one, "__slots__", ()) for one in kind.__mro__]
    return [name for some in told for name in ((some,) if isinstance(some, str) else some) if not name.startswith("__")]


def _is_own(value: Any) -> bool:
    """Is it of a class of the program: a module without a place among those that are installed?"""
    kind = value if isinstance(value, type) else type(value)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return kind.__module__ != "builtins" and "site-packages" not in file and not file.startswith(LIBRARY)
