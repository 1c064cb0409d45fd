"""Files that a call leaves behind in its folder: part of what it does, if the baseline leaves them."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from perfproof.worker.verify.case import Answer, Contract, attempt

MOST_NAMED = 3
MOST_FILES = 1000
CALLS = 3  # the first may find what calls before it have left, and add to it


def check(contract: Contract, sides: Mapping[str, Callable[[tuple], Answer]], drawn: tuple) -> list[str]:
    """A line for each variant that does not leave the files that the baseline leaves; it is the first of the sides."""
    left = {name: _left_by(call, contract, drawn) for name, call in sides.items()}
    (_, baseline), *variants = left.items()
    found = []
    for name, files in variants:
        missing = [path for path, content in baseline.items() if content not in files.values()]  # under any name
        if missing:
            shown = ", ".join(missing[:MOST_NAMED])
            found.append(f"{name} does not leave the file {shown} as the baseline does when it returns")
    return found


def _left_by(call: Callable[[tuple], Answer], contract: Contract, drawn: tuple) -> dict[str, str]:
    """What the last two calls leave in equal form: names made of a clock or of chance are no promise."""
    seen = []
    for _ in range(CALLS):
        before = _contents()
        attempt(call, contract.copied(drawn))
        after = _contents()
        seen.append({path: content for path, content in after.items() if before.get(path) != content})
        for path in seen[-1]:
            Path(path).unlink(missing_ok=True)
    return {path: content for path, content in seen[-1].items() if seen[-2].get(path) == content}


def _contents() -> dict[str, str]:
    files = [path for path in Path().rglob("*") if path.is_file() and not path.is_symlink()]
    if len(files) > MOST_FILES:
        return {}
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
