"""What is stored of a machine's ceilings after a new measurement: each name keeps its latest value, and the best ever.

A name that was tried again without success keeps its older value; its context says when that was measured.
"""

from perfproof.core.ceilings import Ceiling, Ceilings


def merged(stored: Ceilings | None, new: Ceilings) -> Ceilings:
    if stored is None:
        return new
    fresh = {one.name for one in new.ceilings}
    kept = [one for one in stored.ceilings if one.name not in fresh]
    remembered = [_with_best_ever(one, stored.get(one.name)) for one in new.ceilings]
    together = sorted([*kept, *remembered], key=lambda one: one.name)
    known = {one.name for one in together}
    reasons = {**stored.not_measured, **new.not_measured}
    return new.model_copy(
        update={
            "ceilings": together,
            "not_measured": {name: why for name, why in reasons.items() if name not in known},
            "quick": any(one.context.get("quick") for one in together),
        }
    )


def _with_best_ever(new: Ceiling, before: Ceiling | None) -> Ceiling:
    """A measurement on a busy machine must not make a quiet one's results look impossible."""
    if before is None:
        return new
    return new.model_copy(update={"best_ever": (min if new.unit == "s" else max)(new.best, before.best)})
