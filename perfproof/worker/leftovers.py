"""Finished on return: nothing that a side started may go on after its function has returned.

Three kinds of evidence, one check: a result that still changes, other threads or children that use the processor while
the main thread rests, and other threads that used it between the timed samples.
"""

from collections.abc import Callable
from typing import Any

from perfproof.worker.verify import watch
from perfproof.worker.verify.outputs import same_bits

NAME = "finished on return"
REMEDY = "join what was started before returning"
BETWEEN_SHARE = 0.05  # of the time between samples; threads of a pool that go to sleep take less


def after_call(findings: Any, who: str, held: Any, output: Any, again: Callable[[], Any]) -> None:
    """Right after a call: `held` is a copy of the result as it was returned, `again` calls once more."""
    busy(findings, who, again)
    findings.note(NAME, "" if same_bits(held, output) else f"{who}: the result still changed after it had returned")


def busy(findings: Any, who: str, again: Callable[[], Any]) -> None:
    """Who leaves work in each call leaves it in the next one too; what was started once, as a compiler's pool is, ends.

    So the look that is judged comes after another call, when all was quiet before it.
    """
    share = watch.busy_after_return()
    if share > watch.IDLE_SHARE and watch.wait_until_quiet():
        again()
        share = watch.busy_after_return()
    problem = f"{who}: work goes on after the function has returned ({share:.0%} of a core): {REMEDY}"
    findings.note(NAME, problem if share > watch.IDLE_SHARE else "")


def between_samples(findings: Any, spent: dict[str, list[float]]) -> None:
    """`spent`: per side, CPU seconds of other threads after its samples, and the seconds of wall time in which."""
    shares = {who: foreign / seconds for who, (foreign, seconds) in spent.items() if seconds}
    who = max(shares, key=shares.__getitem__, default="")
    share = shares.get(who, 0.0)
    after = f"most of it after those of {'the baseline' if who in ('baseline', 'twin') else who}"
    problem = f"other threads worked for up to {share:.0%} of the time between timed samples, {after}: {REMEDY}"
    findings.note(NAME, problem if share > BETWEEN_SHARE else "")
