"""What a word of `perfproof ab` names: a pair, several, one variant of one, or a command."""

import os
import re
import shutil
from pathlib import Path

from perfproof.core.errors import ContractError, PerfproofError, UsageError
from perfproof.pairs.pair import Broken, Pair

VARIANT = re.compile(r"(?P<target>.+\.py|[^:]+:[^:]+):(?P<variant>\w+)")


def names_a_pair(text: str) -> bool:
    from perfproof.pairs.targets import select

    target = split_variant(text, None)[0]
    if target.endswith(".py") and not target.split()[1:]:
        return True  # a file that is not there is an error of its own
    try:
        return bool(select([target]))
    except PerfproofError:
        return False


def is_command(text: str) -> bool:
    """Words with spaces between them, or a program that can be started; a pair stays a pair."""
    return not names_a_pair(text) and (bool(text.split()[1:]) or shutil.which(text) is not None)


def pair_named(target: str, variant: str | None) -> tuple[Pair, str | None]:
    """The one pair that a target names, and the variant written behind it (or asked for)."""
    from perfproof.pairs.targets import select

    target, variant = split_variant(target, variant)
    found = select([target])
    if len(found) != 1:
        raise UsageError(f"{target!r} names {len(found)} pairs; `ab` compares one: write TARGET:PAIR or a file")
    if isinstance(found[0], Broken):
        raise ContractError(*_where_and_what(found[0].error))
    return found[0], variant


def files_of(target: str, variant: str | None) -> list[tuple[Path, str | None]]:
    """The files of the pairs that are named, with the variant to measure. A file may be there at a revision only."""
    from perfproof.pairs.targets import select

    target, variant = split_variant(target, variant)
    if target.endswith(".py"):
        return [(Path(os.path.abspath(target)), variant)]
    return [(pair.path, variant) for pair in select([target])]


def split_variant(target: str, variant: str | None) -> tuple[str, str | None]:
    match = None if os.path.exists(target) else VARIANT.fullmatch(target)
    return (match["target"], match["variant"]) if match else (target, variant)


def _where_and_what(error: str) -> tuple[str, str]:
    where, _, what = error.partition(": ")
    return where, what
