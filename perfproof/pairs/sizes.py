"""Sizes given on the command line, `--set ch01:batched_gemm.count=80`, typed as the pair declares them."""

import math
import os
from collections.abc import Sequence
from typing import Any

from perfproof.core.errors import UsageError
from perfproof.pairs import rank_count
from perfproof.pairs.catalogue import canonical
from perfproof.pairs.declarations import size_complaint
from perfproof.pairs.pair import Broken, Pair

_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def parse_sizes(items: Sequence[str], pairs: Sequence[Pair | Broken]) -> dict[str, dict[str, Any]]:
    """Target name to overridden sizes; without a target the only selected one is meant."""
    whole = [pair for pair in pairs if isinstance(pair, Pair)]
    sizes: dict[str, dict[str, Any]] = {}
    for item in items:
        left, equals, text = item.partition("=")
        target, _, key = left.strip().rpartition(".")
        if not equals or not key:
            raise UsageError(f"--set {item!r} is not TARGET.KEY=VALUE; write for example ch01:batched_gemm.count=80")
        pair = _pair(target, whole, item)
        if key == rank_count.KEY and key not in pair.workload:
            sizes.setdefault(pair.name, {})[key] = rank_count.parse_ranks(text.strip(), pair, item)
            continue
        if key not in pair.workload:
            keys = ", ".join(pair.workload) or "none"
            raise UsageError(f"--set {item!r}: {pair.name} has no size {key!r}; its sizes are {keys}")
        sizes.setdefault(pair.name, {})[key] = _typed(key, text.strip(), pair, item)
    return sizes


def _pair(target: str, pairs: list[Pair], item: str) -> Pair:
    if not target:
        if len(pairs) != 1:
            raise UsageError(f"--set {item!r} names no target and {len(pairs)} are selected; write TARGET.KEY=VALUE")
        return pairs[0]
    wanted = canonical(target).removesuffix(".py")
    exact = [pair for pair in pairs if pair.name == wanted or str(pair.path) == os.path.abspath(f"{wanted}.py")]
    begun = [pair for pair in pairs if pair.chapter.startswith("labs/") and pair.name.startswith(wanted)]
    found = exact or begun
    if len(found) != 1:
        names = ", ".join(pair.name for pair in (found or pairs)[:5]) or "none"
        raise UsageError(f"--set {item!r}: {target!r} is not one of the selected targets; they are {names}")
    return found[0]


def _typed(key: str, text: str, pair: Pair, item: str) -> Any:
    declared = pair.workload[key]
    kind = type(declared).__name__
    try:
        value = _WORDS[text.lower()] if isinstance(declared, bool) else type(declared)(text)
    except (KeyError, ValueError):
        raise UsageError(f"--set {item!r}: {key} is of type {kind}, as in {key}={declared}; {text!r} is not") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"--set {item!r}: {key} must be finite; write a number")
    if wrong := size_complaint(key, value):
        raise UsageError(f"--set {item!r}: {wrong}")
    return value
