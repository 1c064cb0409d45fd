"""What is stored of a machine's ceilings after a new measurement: each name keeps its latest value, and the best ever.

A name that was tried again without success keeps its older value; its context says when that was measured. An unsteady
value is no success: it holds the noise of the machine, and every later run would be held against it.
"""

from perfproof.core.ceilings import UNSTEADY, Ceiling, Ceilings


def merged(stored: Ceilings | None, new: Ceilings) -> Ceilings:
    stored = stored or new.model_copy(update={"ceilings": [], "not_measured": {}})
    fresh = {one.name: one for one in new.ceilings}
    kept = [_with_best_ever(one, fresh.get(one.name)) for one in stored.ceilings if not _replaces(fresh.get(one.name))]
    remembered = [_with_best_ever(one, stored.get(one.name)) for one in new.ceilings if _replaces(one)]
    together = sorted([*kept, *remembered], key=lambda one: one.name)
    known = {one.name for one in together}
    reasons = {**stored.not_measured, **new.not_measured, **{one.name: one.finding for one in new.ceilings}}
    return new.model_copy(
        update={
            "ceilings": together,
            "not_measured": {name: why for name, why in reasons.items() if name not in known},
            "quick": any(one.context.get("quick") for one in together),
        }
    )


def _replaces(new: Ceiling | None) -> bool:
    return new is not None and new.finding != UNSTEADY


def _with_best_ever(one: Ceiling, other: Ceiling | None) -> Ceiling:
    """A measurement on a busy machine must not make a quiet one's results look impossible."""
    if other is None:
        return one
    return one.model_copy(update={"best_ever": (min if one.unit == "s" else max)(one.best, other.best)})
