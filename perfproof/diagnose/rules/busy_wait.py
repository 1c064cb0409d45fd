"""A thread asks again and again instead of waiting: a loop that only tests takes a core and the interpreter's lock.

The stacks that `perfproof profile` samples mark such loops: see perfproof/profile/children/spinning.py.
"""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, percent

HALF = 0.5  # of the time: two threads take turns in the interpreter


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="busy_wait", missing=HOW)
    found = sampled.spinning(evidence)
    if found is None:
        return None
    text = f"for {percent(found.lines.share)} of its time the thread {found.thread!r} only asks whether there is "
    text += f"something to do: {found.lines.listed()}"
    if found.disturbs:
        text += "; other threads work meanwhile and share the interpreter's lock with it"
    share = HALF * found.lines.share if found.disturbs else found.lines.share
    return Finding(
        rule="busy_wait",
        title="a thread asks again and again instead of waiting",
        confidence="high" if found.disturbs else "medium",
        evidence=[Proof(text=text, place=found.lines.lines[0][0], values={"share": found.lines.share})],
        share=share,
        advice="wait for an event: queue.get(), Event.wait(), Condition, future.result(), select; if nothing can be "
        "waited for, sleep between two questions",
        experiment=COMPARE_CHANGE,
        refuted_by="with a wait in its place the program takes as long",
        parts={"gil_bound": share, "busiest_line": share},
        basis="facts",
    )
