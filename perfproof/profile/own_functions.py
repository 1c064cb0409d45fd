"""The functions of a sampled program by what they take, with all that they call: from the stacks of our own sampler.

There, a frame of the program is `function (file.py:12)`; one of an installed library is `package.module:function`.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from perfproof.profile.sampled_stacks import HELD, THREAD

OWN = re.compile(r"(?!\[)(?P<function>.+) \((?P<file>.+):\d+\)")


@dataclass(frozen=True)
class OwnFunction:
    name: str  # "reprice (barrier_book.py)"
    weight: float  # of all stacks that it is in
    python: float  # of those in which its own line holds the interpreter's lock


def own_functions(weights: Mapping[tuple[str, ...], float]) -> list[OwnFunction]:
    """The heaviest first, of equal ones the outer. A function counts once in a stack, however often it calls itself."""
    inside: Counter[str] = Counter()
    python: Counter[str] = Counter()
    for path, weight in weights.items():
        if not path or not path[0].startswith(THREAD):
            continue
        names = [_name(frame) for frame in path]
        for name in dict.fromkeys(filter(None, names)):
            inside[name] += weight  # type: ignore[assignment]
        if path[-1] == HELD and len(path) > 1 and names[-2]:
            python[names[-2]] += weight  # type: ignore[assignment]
    return [OwnFunction(name, weight, python[name]) for name, weight in inside.most_common()]


def _name(frame: str) -> str:
    """Without the line, which is that of a call; empty for any other frame."""
    found = OWN.fullmatch(frame)
    return f"{found['function']} ({found['file']})" if found else ""
