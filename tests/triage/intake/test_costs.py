"""Costs of today, from the figures of the form."""

from perfproof.core.intake import Intake
from perfproof.triage.intake.costs import costs_today


def lines(budget, **baseline):
    goal = dict(summary="s", kind="inference", kpi="tokens/s")
    hardware = dict(gpu="H200", gpus_per_node=8)
    return costs_today(Intake.model_validate(dict(goal=goal, hardware=hardware, budget=budget, baseline=baseline)))


def test_a_gpu_hour_and_a_throughput_give_dollars_per_million_tokens():
    """8·2.5 $/h over 24,000·3600 tokens: $0.231 per million; within a goodput of half, twice that."""
    (line,) = lines(dict(gpu_hour="2.5 $/h"), throughput="24000 tokens/s", goodput="50 %")
    assert line.startswith("$0.231 per million tokens") and "$0.463" in line


def test_power_gives_tokens_per_joule():
    assert lines({}, throughput="4000 tokens/s", gpu_power="0.5 kW")[0].startswith("1 tokens per joule")


def test_what_the_form_does_not_hold_is_not_said():
    assert lines(dict(gpu_hour="2.5 $/h")) == [] and lines({}, throughput="1 tokens/s") == []
    assert lines(dict(gpu_hour="2.5 $/h"), throughput="3 samples/s") == []
