"""`perfproof ab` of two servers: which arguments are servers, and what its gate says about the comparison."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfproof.core.errors import UsageError
from perfproof.core.load import Comparison
from perfproof.core.units import percent, ratio
from perfproof.load import own_server, serve_command
from perfproof.report.load.junit import OPEN

if TYPE_CHECKING:
    from perfproof.app.load.done import Done
    from perfproof.core.documents import Gate

ADDRESSES, HOST_AND_PORT = ("http://", "https://"), re.compile(r"[\w.-]+:\d{2,5}")
MORE = "`perfproof load A --against B` has more options"
QUANTITIES = {
    "TTFT": "mean TTFT",
    "TPOT": "mean TPOT",
    "latency": "mean latency",
    "tokens/s": "output tokens per second",
}
JUDGED = ("mean TTFT", "mean TPOT", "output tokens per second")  # unless one is chosen
MORE_FAILED = 0.01  # of the requests: B may lose so many more than A


def is_server(text: str) -> bool:
    return (
        text.startswith(ADDRESSES)
        or HOST_AND_PORT.fullmatch(text) is not None
        or own_server.is_own(text)
        or serve_command.is_serve(text)
    )


def two_servers(sides: Sequence[str]) -> tuple[str, str] | None:
    """The servers that are compared; None if no side is one."""
    servers = [side for side in sides if is_server(side)]
    if not servers:
        return None
    if other := next((side for side in sides if side not in servers), None):
        raise UsageError(f"{servers[0]!r} is a server and {other!r} is not: give two servers or two commands")
    if len(sides) != 2:
        said = f"{sides[0]!r} is one server" if len(sides) == 1 else f"{len(sides)} servers are named"
        raise UsageError(f"{said}: ab compares two; `perfproof load SERVER` tests one")
    return sides[0], sides[1]


def judged_by(name: str | None) -> tuple[str, ...]:
    """The metrics that the gate goes by."""
    if name is None:
        return JUDGED
    for short, metric in QUANTITIES.items():
        if name.lower() in (short.lower(), metric.lower()):
            return (metric,)
    raise UsageError(f"--judge {name!r} is unknown for servers: choose {', '.join(QUANTITIES)}; {MORE}")


def decide(done: "Done", judged: Sequence[str]) -> "tuple[Gate, str]":
    """What the gate decides, and the line that says why.

    B fails if it is worse in a judged metric, or loses more of its requests. A failed check of the test does not excuse
    that, but without it nothing has passed either.
    """
    found = {one.metric: one for one in done.result.against if one.metric in judged}
    failed = [one.name for one in done.result.checks if one.result == "fail"]
    doubt = f"; failed checks: {', '.join(failed)}" if failed else ""
    if done.result.interrupted:
        return "not decided", "gate not decided: interrupted"
    a, b = done.failed_shares
    if b > a + MORE_FAILED:
        return "fail", f"gate failed: {percent(b)} of the requests to B failed, {percent(a)} of those to A"
    if worse := [one for one in found.values() if one.verdict == "worse"]:
        return "fail", f"gate failed: B is worse than A in {_said(worse)}{doubt}"
    still_open = [one for one in found.values() if one.verdict in OPEN]
    absent = [name for name in judged if name not in found]
    if still_open or absent or failed:
        causes = [*(f"{_said([one])} is {one.verdict}" for one in still_open), *(f"no {name}" for name in absent)]
        return "not decided", f"gate not decided: {', '.join(causes) or 'the test is not valid'}{doubt}"
    return "pass", f"gate passed: {', '.join(f'{one.verdict} in {_said([one])}' for one in found.values())}"


def _said(found: Sequence[Comparison]) -> str:
    return ", ".join(f"{one.metric} {_figure(one)}" for one in found)


def _figure(one: Comparison) -> str:
    ends = "" if one.low is None or one.high is None else f" [{ratio(one.low)}, {ratio(one.high)}]"
    return f"{ratio(one.ratio)}{ends}"
