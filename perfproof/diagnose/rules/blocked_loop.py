"""One callback of an event loop runs for long, while others are due: nothing else is answered meanwhile."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent

BLOCKS, BLOCKS_MUCH = 0.15, 0.35  # of the time


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="blocked_loop", missing=HOW)
    lines = sampled.late_callbacks(evidence)
    if lines is None or lines.share <= BLOCKS:
        return None
    text = f"for {percent(lines.share)} of the time one callback runs while others are due: {lines.listed()}"
    return Finding(
        rule="blocked_loop",
        title="a call blocks the event loop",
        confidence=confidence_of(lines.share, BLOCKS, BLOCKS_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice="await loop.run_in_executor(...) or asyncio.to_thread(...) for work that computes or blocks, with "
        "processes if it is Python; await asyncio.sleep instead of time.sleep",
        experiment=COMPARE_CHANGE,
        refuted_by="with that call in an executor the others are answered as late",
        basis="facts",
    )
