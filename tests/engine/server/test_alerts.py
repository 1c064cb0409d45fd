"""Each rule fires on what it watches for, and not on what only looks like it."""

import json

import pytest
import yaml

from perfproof.cli.commands import alerts as command
from perfproof.core.errors import DocumentError, UsageError
from perfproof.engine.engine import Engine
from perfproof.engine.metrics import Metrics
from perfproof.engine.server.alert_expression import evaluate, read_metrics
from perfproof.engine.server.alerts import RULES, alarms, read_rules, read_scrapes
from tests.engine.server.running_server import running
from tests.engine.tiny_models import greedy, model, prompts, small

EVERY = 15.0


def recorded(states):
    """Scrapes of a server's own metrics, one per state; a state changes the metrics and may give the GPU's clocks."""
    metrics, readings = Metrics("tiny", blocks=100), []
    for number, change in enumerate(states):
        held_back = change(metrics) or {}
        readings.append(read_metrics(metrics.text(held_back), number * EVERY))
    return readings


def fired(readings):
    return [one.rule.name for one in alarms(read_rules(), readings)]


def waiting(count):
    return lambda metrics: setattr(metrics, "waiting", count)


def used(count):
    return lambda metrics: setattr(metrics, "used", count)


def ended(count, preempted=0, refused=()):
    def change(metrics):
        metrics.finished["stop"] += count
        metrics.counters["num_preemptions"] += preempted
        for code in refused:
            metrics.note_refusal(code)

    return change


def slowed(*numbers):
    return lambda metrics: {gpu: gpu in numbers for gpu in range(2)}


CASES = {
    "QueueGrowth": ([waiting(4 * step) for step in range(20)], [waiting(40) for _ in range(20)]),
    "KvCachePressure": ([used(99)] * 6, [used(99 if step % 4 else 40) for step in range(20)]),
    "PreemptionStorm": ([ended(10, preempted=8)] * 20, [ended(10, preempted=2)] * 20),
    "ErrorRate": ([ended(10, refused=(503,))] * 20, [ended(10, refused=(400,))] * 20),
    "ThrottledClocks": ([slowed(1)] * 20, [slowed()] * 19 + [slowed(0)]),
}


def test_every_rule_has_a_case():
    assert {rule.name for rule in read_rules()} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_rule_fires_once_on_what_it_watches_for(name):
    assert fired(recorded(CASES[name][0])) == [name]


@pytest.mark.parametrize("name", CASES)
def test_a_rule_is_silent_on_a_look_alike(name):
    assert fired(recorded(CASES[name][1])) == []


def test_an_alarm_names_the_gpu():
    assert [one.labels for one in alarms(read_rules(), recorded([slowed(1)] * 20))] == [(("gpu", "1"),)]


def test_a_burst_that_is_over_before_the_time_of_the_rule_is_no_alarm_and_a_second_one_is():
    brief, calm = [used(99)] * 3, [used(10)] * 3
    assert fired(recorded(brief + calm + brief)) == []
    assert fired(recorded(brief + calm + [used(99)] * 5 + calm + [used(99)] * 5)) == ["KvCachePressure"] * 2


def test_a_counter_that_begins_again_after_a_restart_is_no_negative_rate():
    texts = ["a_total 100", "a_total 110", "a_total 4", "a_total 14"]
    readings = [read_metrics(text, number * 10.0) for number, text in enumerate(texts)]
    assert evaluate("rate(a_total[1m])", readings, 30.0) == {(): pytest.approx((10 + 4 + 10) / 30)}


def test_an_engine_with_too_few_blocks_is_a_preemption_storm_and_one_with_enough_is_not():
    def scrapes(blocks):
        engine, metrics, readings = Engine(*model(), small(blocks=blocks)), Metrics("tiny", blocks), []
        for number, prompt in enumerate(prompts(20, longest=18)):
            engine.add(greedy(str(number), prompt))
        while engine.is_busy:
            for progress in engine.step():
                if progress.request.finish:
                    metrics.note_end(progress.request, 0.0)
            metrics.note_step(engine.last_step)
            readings.append(read_metrics(metrics.text(), len(readings) * EVERY))
        return readings

    assert "PreemptionStorm" in fired(scrapes(11))
    assert "PreemptionStorm" not in fired(scrapes(60))


def test_a_server_counts_what_it_refuses():
    import urllib.error
    import urllib.request

    with running() as server:
        for body in (b"{", b'{"prompt": "a", "max_tokens": 0}'):
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{server.url}/v1/completions", body)
        text = urllib.request.urlopen(f"{server.url}/metrics").read().decode()
    _, values = read_metrics(text, 0.0)
    refused = {dict(labels)["code"]: value for (name, labels), value in values.items() if "refused" in name}
    assert refused == {"400": 2, "429": 0, "500": 0, "503": 0}
    assert not any("held_back" in name for name, _ in values)  # a CPU has no such clocks


def test_the_file_has_the_form_that_prometheus_asks_for():
    groups = yaml.safe_load(RULES.read_text())["groups"]
    for rule in groups[0]["rules"]:
        assert rule.keys() == {"alert", "expr", "for", "labels", "annotations"}
        assert rule["alert"].isidentifier() and rule["annotations"].keys() == {"summary", "description"}
        assert all(isinstance(text, str) for text in (*rule["labels"].values(), *rule["annotations"].values()))


def test_the_rules_ask_only_for_metrics_that_the_server_has():
    _, values = recorded([slowed(0)])[0]
    there = {name for name, _ in values}
    for rule in read_rules():
        asked = {word for word in rule.expression.replace("(", " ").replace("[", " ").split() if ":" in word}
        assert asked and {word.partition("{")[0] for word in asked} <= there


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("a", {(("x", "1"),): 2.0, (("x", "2"),): 6.0}),
        ('a{x="1"} * 3', {(("x", "1"),): 6.0}),
        ('a{x!="1"} > 1', {(("x", "2"),): 6.0}),
        ('a{x=~"1|3"} + 1 > 1', {(("x", "1"),): 3.0}),
        ("sum(a) / (2 + 2)", {(): 2.0}),
        ("sum(a) - 2 * 3 >= 2", {(): 2.0}),
        ("sum(a) < 8", {}),
        ("sum(b)", {}),
        ("a / a > 1", {}),
        ('a{x="2"} * 1e-1 > 0.5', {(("x", "2"),): 0.6000000000000001}),
        ('sum( increase ( a{x=~"1|2"}[20s] ) ) > 2', {(): 3.0}),
        ("max_over_time(a[20s]) > 5", {(("x", "2"),): 6.0}),
        ("increase(a[20s])", {(("x", "1"),): 1.0, (("x", "2"),): 2.0}),
    ],
)
def test_an_expression_has_the_value_that_a_hand_finds(expression, expected):
    readings = [
        read_metrics(text, at) for at, text in ((0.0, 'a{x="1"} 1\na{x="2"} 4'), (10.0, 'a{x="1"} 2\na{x="2"} 6'))
    ]
    assert evaluate(expression, readings, 10.0) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "a >",
        "rate(a)",
        "a[5m]",
        "(a",
        "histogram_quantile(1, a) > 2",
        "a ? 1",
        "1 > 0",
        ">",
        "a > 1 > 0",
        "a and a",
        "sum by (x) (a)",
        "a ** 2",
        "-a > 1",
        "a if a else a",
        "rate(a[5m], 2)",
        "a.real > 0",
        "'alert'",
        "rate(2)",
    ],
)
def test_an_expression_that_is_not_understood_is_an_error_and_no_silence(expression):
    with pytest.raises(DocumentError, match="alert"):
        evaluate(expression, [read_metrics("a 1", 0.0)], 0.0)


def test_broken_lines_are_left_out_and_a_text_without_samples_is_an_error():
    assert read_metrics('# HELP a\na{x="1\na one\na 2\nb{l="q\\"}"} 3 1700000000', 0.0)[1] == {
        ("a", ()): 2.0,
        ("b", (("l", 'q\\"}'),)): 3.0,
    }
    for text in ("", "<html>not found</html>", "# HELP a\n"):
        with pytest.raises(DocumentError, match="no sample"):
            read_metrics(text, 0.0)


def test_the_command_prints_the_rules_and_says_what_fires(tmp_path, capsys):
    assert command.command() == 0
    assert yaml.safe_load(capsys.readouterr().out) == yaml.safe_load(RULES.read_text())
    metrics, paths = Metrics("tiny", 100), []
    for number in range(20):
        metrics.waiting = 4 * number
        paths.append(tmp_path / f"{number:02}.txt")
        paths[-1].write_text(metrics.text())
    assert command.command(paths) == 1
    assert "QueueGrowth" in capsys.readouterr().out
    assert command.command(paths[:2], json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"alarms": []}


def test_the_command_refuses_what_it_cannot_read(tmp_path):
    with pytest.raises(UsageError, match="recorded"):
        command.command(json=True)
    with pytest.raises(DocumentError, match="gone"):
        read_scrapes([tmp_path / "gone.txt"], 15.0)
    broken = tmp_path / "rules.yml"
    for text in (
        "groups: 3",
        "[",
        "groups: [{rules: [{alert: A}]}]",
        "groups: [{rules: [{alert: A, expr: a, for: soon}]}]",
    ):
        broken.write_text(text)
        with pytest.raises(DocumentError, match="alert rules"):
            read_rules(broken)
