"""A load test as JUnit XML: one test case for each check, one for the limits of a search, one for each comparison.

A check that failed is a failure, and one that could not be made is skipped. A search that found no rate within its
limits is a failure. Of a comparison, a metric that a gate goes by fails if B is worse, and is skipped if that is open;
the gate is a case too, because it also fails if B loses more requests.
A test that was interrupted, or in which nothing was answered, is an error: it must not look like a passed one.
"""

from collections.abc import Sequence

from perfproof.core.load import Comparison, LoadResult, SloResult
from perfproof.core.units import ratio
from perfproof.report.junit_cases import Case, junit_text
from perfproof.report.load.text import render as text

KINDS = {"pass": "", "fail": "failure", "not-run": "skipped"}
OPEN = ("unstable", "indicative")  # verdicts that decide nothing
GATES = {"pass": "", "fail": "failure", "not decided": "skipped"}


def render(result: LoadResult, judged: Sequence[str] = (), gate: tuple[str, str] | None = None) -> str:
    """`judged` are the metrics that a gate goes by; `gate` is what it decided, and the line that says why."""
    cases = [_test(result)]
    cases += [_case(one.name, KINDS[one.result], one.detail, one.result, one.detail) for one in result.checks]
    cases += [_limits(result.slo)] if result.slo is not None else []
    cases += [_comparison(one, one.metric in judged) for one in result.against]
    cases += [_case("the gate", GATES[gate[0]], gate[1], gate[0], gate[1])] if gate is not None else []
    return junit_text("perfproof load", result.made, cases)


def _test(result: LoadResult) -> Case:
    why = "interrupted" if result.interrupted else "" if result.whole.outcomes.get("ok") else "nothing was answered"
    return _case("the test", "error" if why else "", why, "error" if why else "done", text(result), result.seconds)


def _limits(found: SloResult) -> Case:
    terms = " ".join(term.text for term in found.terms)
    kind = "failure" if found.rate is None else ""
    return _case(f"a rate within {terms}", kind, found.sentence, "no rate" if kind else "found", found.sentence)


def _comparison(one: Comparison, is_judged: bool) -> Case:
    kind = "failure" if one.verdict == "worse" else "skipped" if one.verdict in OPEN else ""
    ends = "" if one.low is None or one.high is None else f" [{ratio(one.low)}, {ratio(one.high)}]"
    said = f"B is {one.verdict}: {ratio(one.ratio)}{ends}, above 1 B is better" + (f"; {one.note}" if one.note else "")
    return _case(f"{one.metric} of B against A", kind if is_judged else "", said, one.verdict, said)


def _case(name: str, kind: str, reason: str, word: str, output: str, seconds: float | None = None) -> Case:
    return Case("load:", name, kind, reason, word, output, seconds)
