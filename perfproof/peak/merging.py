"""What is stored of a machine's ceilings after a new measurement: each name keeps its latest value.

A name that was tried again without success keeps its older value; its context says when that was measured.
"""

from perfproof.core.ceilings import Ceilings


def merged(stored: Ceilings | None, new: Ceilings) -> Ceilings:
    if stored is None:
        return new
    fresh = {one.name for one in new.ceilings}
    kept = [one for one in stored.ceilings if one.name not in fresh]
    together = sorted([*kept, *new.ceilings], key=lambda one: one.name)
    known = {one.name for one in together}
    reasons = {**stored.not_measured, **new.not_measured}
    return new.model_copy(
        update={
            "ceilings": together,
            "not_measured": {name: why for name, why in reasons.items() if name not in known},
            "quick": any(one.context.get("quick") for one in together),
        }
    )
