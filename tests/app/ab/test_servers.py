"""Which arguments of `ab` are servers, and what the gate of a comparison decides."""

from types import SimpleNamespace

import pytest

from perfproof.app.ab.servers import decide, is_server, judged_by, two_servers
from perfproof.core.documents import Check
from perfproof.core.errors import UsageError
from perfproof.core.load import Comparison

METRICS = ("mean TTFT", "mean TPOT", "mean latency", "output tokens per second")


@pytest.mark.parametrize(
    "text",
    [
        "http://a:8000",
        "localhost:8000",
        "https://a/v1",
        "builtin",
        "builtin?base=5ms",
        "serve --demo",
        "perfproof serve --demo",
    ],
)
def test_addresses_builtin_and_serve_commands_are_servers(text):
    assert is_server(text)


@pytest.mark.parametrize("text", ["./serve -q", "serve", "builtins", "python serve.py", "pair.py"])
def test_anything_else_is_what_it_was(text):
    assert not is_server(text)


def test_two_servers_are_compared_and_none_is_no_affair_of_theirs():
    assert two_servers(["http://a:1", "serve --demo"]) == ("http://a:1", "serve --demo")
    assert two_servers(["./serve -q", "./serve"]) is None and two_servers([]) is None


@pytest.mark.parametrize(
    ("sides", "why"),
    [
        (["http://a:1", "./serve -q"], "'http://a:1' is a server and './serve -q' is not"),
        (["pair.py", "builtin"], "'builtin' is a server and 'pair.py' is not"),
        (["builtin"], "'builtin' is one server: ab compares two"),
        (["builtin"] * 3, "3 servers are named: ab compares two"),
    ],
)
def test_other_numbers_and_mixtures_are_refused(sides, why):
    with pytest.raises(UsageError, match=why):
        two_servers(sides)


def test_the_gate_goes_by_the_metric_that_is_chosen():
    assert judged_by(None) == ("mean TTFT", "mean TPOT", "output tokens per second")
    assert judged_by("latency") == judged_by("mean Latency") == ("mean latency",)
    with pytest.raises(UsageError, match="choose TTFT, TPOT, latency, tokens/s"):
        judged_by("wall")


def done(failed_shares=(0.0, 0.0), checks=(), interrupted=False, **verdicts):
    """A comparison in which every metric is the same but those that are named by their last word."""
    words = {name.split()[-1]: name for name in METRICS}
    said = dict.fromkeys(METRICS, "same") | {words[word]: verdict for word, verdict in verdicts.items()}
    against = [
        Comparison(metric=name, verdict=verdict, ratio=0.8, low=0.7, high=0.9, blocks=8, a=1.0, b=1.25)
        for name, verdict in said.items()
        if verdict
    ]
    failed = [Check(name=name, result="fail", detail="") for name in checks]
    return SimpleNamespace(
        result=SimpleNamespace(against=against, checks=failed, interrupted=interrupted), failed_shares=failed_shares
    )


@pytest.mark.parametrize(
    ("found", "word", "line"),
    [
        (done(), "pass", "gate passed: same in mean TTFT 0.80x [0.70x, 0.90x], same in mean TPOT"),
        (done(TTFT="better", TPOT="inconclusive"), "pass", "better in mean TTFT"),
        (done(TPOT="worse"), "fail", "gate failed: B is worse than A in mean TPOT 0.80x [0.70x, 0.90x]"),
        (done(latency="worse"), "pass", "gate passed"),  # it is not among those that are judged
        (done(TPOT="worse", checks=["client lag"]), "fail", "; failed checks: client lag"),
        (done(checks=["client lag"]), "not decided", "the test is not valid; failed checks: client lag"),
        (done(TTFT="unstable"), "not decided", "mean TTFT 0.80x [0.70x, 0.90x] is unstable"),
        (done(TTFT=""), "not decided", "no mean TTFT"),
        (done((0.0, 0.2), ["errors"]), "fail", "gate failed: 20.0 % of the requests to B failed, 0.0 % of those to A"),
        (done((0.2, 0.0), ["errors"]), "not decided", "failed checks: errors"),
        (done(TPOT="worse", interrupted=True), "not decided", "interrupted"),
    ],
)
def test_the_gate_fails_if_b_is_worse_and_passes_only_a_valid_test(found, word, line):
    decided, said = decide(found, judged_by(None))
    assert decided == word and line in said


def test_only_the_chosen_metric_decides():
    found = done(TTFT="worse", latency="same")
    assert decide(found, judged_by("latency"))[0] == "pass" and decide(found, judged_by("TTFT"))[0] == "fail"
