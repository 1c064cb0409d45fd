"""Which series a person means: of those that fit what was asked, the one measured last."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select

from perfproof.core.errors import NothingMatched
from perfproof.core.nearest import nearest_names
from perfproof.history.index.keys import SAME, VALUES, Key, Quantity, sizes_in_words
from perfproof.history.index.store import Store
from perfproof.history.index.tables import results

GIVEN = ("variant", "kind", "sizes", "claim", "clock", "statistic")  # what a person may hold to one value
NO_MACHINE = "the files do not say on which machine; import them again with --machine NAME"


@dataclass(frozen=True)
class Wanted:
    """What a person asks for; None is "the one measured last"."""

    target: str
    quantity: Quantity = "ratio"
    variant: str | None = None
    kind: str | None = None
    fingerprint: str | None = None  # or its beginning
    canary: str | None = None
    since: str | None = None
    sizes: str | None = None  # all of them, as the index writes them
    claim: str | None = None
    clock: str | None = None
    statistic: str | None = None
    held: Mapping[str, str] = field(default_factory=dict)  # some of the sizes, as a person writes them


def choose_key(store: Store, wanted: Wanted) -> Key:
    found = [key for key in _keys(store, wanted) if _holds(key.sizes, wanted.held)]
    if not found:
        raise NothingMatched(_why_nothing(store, wanted))
    with_machine = next((key for key in found if key.has_machine), None)
    if with_machine is None:
        raise NothingMatched(f"no trend of {wanted.target!r}: {NO_MACHINE}")
    return with_machine


def _keys(store: Store, wanted: Wanted) -> list[Key]:
    """All that fit, the one measured last first."""
    value = VALUES[wanted.quantity]
    columns = [getattr(results.c, name) for name in SAME]
    conditions = [getattr(results.c, name) == given for name, given in _given(wanted).items()]
    if wanted.fingerprint:
        conditions.append(results.c.fingerprint.startswith(wanted.fingerprint, autoescape=True))
    statement = (
        select(*columns, results.c.fingerprint)
        .where(results.c.target == wanted.target, results.c.status == "ok", value > 0, *conditions)
        .group_by(*columns, results.c.fingerprint)
        .order_by(func.max(results.c.started).desc(), *columns)
    )
    one_machine = bool(wanted.fingerprint) or (wanted.quantity != "ratio" and not wanted.canary)
    return [
        Key(
            **dict(zip(SAME, row, strict=False)),
            quantity=wanted.quantity,
            fingerprint=row[-1] if one_machine else "",
            canary=wanted.canary or "",
        )
        for row in store.rows(statement)
    ]


def _given(wanted: Wanted) -> dict[str, str]:
    return {name: getattr(wanted, name) for name in GIVEN if getattr(wanted, name) is not None}


def _holds(sizes: str, held: Mapping[str, str]) -> bool:
    there = json.loads(sizes) if held else {}
    return all(name in there and _is(there[name], text) for name, text in held.items())


def _is(value: Any, text: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(text) == value
        except ValueError:
            return False
    return str(value).lower() == text.lower()


def _why_nothing(store: Store, wanted: Wanted) -> str:
    columns = (results.c.variant, results.c.kind, results.c.sizes)
    rows = store.rows(select(*columns).where(results.c.target == wanted.target).distinct().limit(20))
    if not rows:
        known = [str(name) for (name,) in store.rows(select(results.c.target).distinct())]
        near = nearest_names(wanted.target, known)
        meant = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        return f"no result of {wanted.target!r} in the history; {meant}`perfproof history show` lists the runs"
    given = _given(wanted) | ({"fingerprint": wanted.fingerprint} if wanted.fingerprint else {}) | dict(wanted.held)
    what = "".join(f", {name} {value}" for name, value in given.items())
    there = sorted(f"{variant or 'no variant'} on {kind} at {sizes_in_words(sizes)}" for variant, kind, sizes in rows)
    return f"no {wanted.quantity} of {wanted.target!r}{what} in the history; there are results of {'; '.join(there)}"
