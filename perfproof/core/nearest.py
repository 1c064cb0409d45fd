"""What a person may have meant by a name that nothing has."""

from collections.abc import Sequence


def nearest_names(given: str, known: Sequence[str], most: int = 2) -> list[str]:
    """Names that are written nearly like it, in any case; then those that begin with it or hold it."""
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in reversed(known)}
    lower = given.lower()
    near = [by_lower[name] for name in get_close_matches(lower, list(by_lower), n=most, cutoff=0.75)]
    holding = [name for small, name in by_lower.items() if len(lower) > 2 and lower in small]
    return list(dict.fromkeys([*near, *holding]))[:most]
