"""A cache hardly ever has the answer: an argument that is new in every call is part of its key, or it is too small.

The stacks that `perfproof profile` samples mark such functions: see perfproof/profile/children/cache_misses.py.
"""

import re

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent
from perfproof.profile.children.cache_misses import MISSES, TOO_SMALL

TAKES, TAKES_MUCH = 0.15, 0.35  # of the time
WHY = {
    MISSES: "one of its arguments is new in every call, another one comes again",
    TOO_SMALL: "its arguments come again, but it is full and has forgotten them",
}
ADVICE = {
    MISSES: "keep what differs in every call (a position, a time, a name of the request) out of the arguments of the "
    "cached function, and add it to the answer outside",
    TOO_SMALL: "a larger maxsize, or None; or go through the same arguments one after the other",
}


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="useless_cache", missing=HOW)
    every = [(mark, *found) for mark in WHY if (found := sampled.growing(evidence, mark)) is not None]
    mark, name, _ = max(every, key=lambda one: one[2].share, default=(MISSES, "", None))
    # The mark needs some looks at the arguments: the samples before it are of the same calls.
    lines = sampled.called(evidence, re.compile(rf"{re.escape(name)}$")) if name else None
    if lines is None or lines.share <= TAKES:
        return None
    text = (
        f"for {percent(lines.share)} of the time {name} computes; its cache hardly ever has the answer: {WHY[mark]}; "
    )
    return Finding(
        rule="useless_cache",
        title=f"the cache of {name} hardly ever has the answer",
        confidence=confidence_of(lines.share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=text + lines.listed(), place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice=ADVICE[mark],
        experiment=COMPARE_CHANGE,
        refuted_by="`cache_info()` of the function shows hits",
        basis="facts",
    )
