"""Fleets of modelled engines: what a router, two pools, a limit and caches change."""

from itertools import pairwise

import numpy
import pytest

from perfproof.load.record import Record
from perfproof.load.step_model import StepModel
from perfproof.load.what_if import Engine, simulate
from perfproof.router.what_if import Fleet, simulate_fleet
from tests.load.test_what_if import MODEL, requests


def mean(records, read=lambda one: one.latency):
    return float(numpy.mean([read(one) for one in records if one.outcome == "ok"]))


def test_one_replica_behind_a_router_is_the_engine_alone():
    plan = requests((4, 10), seconds=10.0)
    alone, routed = simulate(plan, MODEL, Engine(8, 512)), simulate_fleet(plan, MODEL, Engine(8, 512), Fleet())
    assert [one.times for one in routed] == [one.times for one in alone]


def test_more_replicas_and_a_router_that_looks_at_their_load_answer_sooner():
    """Every second request is long: taking turns sends all of the long ones to one replica."""
    plan = [Record(n, 0.05 * n, asked_prompt=10, asked_output=2 + 58 * (n % 2)) for n in range(200)]
    one, turns, least = (
        mean(simulate_fleet(plan, StepModel(base=0.005), Engine(slots=2), fleet))
        for fleet in (Fleet(), Fleet(2), Fleet(2, "least-loaded"))
    )
    assert least < 0.8 * turns and turns < 0.8 * one


def test_requests_of_equal_length_in_turn_wait_as_in_d_2_servers():
    """Every second arrival goes to a server of its own: with constant arrivals and room, nobody waits."""
    plan = [Record(n, 0.06 * n, asked_prompt=1, asked_output=10) for n in range(40)]
    found = simulate_fleet(plan, StepModel(base=0.01), Engine(slots=1), Fleet(2))
    assert [one.latency for one in found] == pytest.approx([0.1] * 40)
    alone = simulate(plan, StepModel(base=0.01), Engine(slots=1))
    assert alone[-1].latency == pytest.approx(0.1 + 39 * 0.04)


def test_two_pools_keep_prompts_out_of_the_way_of_answers_and_hand_over_in_the_time_that_was_named():
    model = StepModel(base=0.01, prefill=1e-3)
    plan = [Record(0, 0.0, asked_prompt=10, asked_output=50), Record(1, 0.2, asked_prompt=400, asked_output=2)]
    mixed = simulate(plan, model, Engine())
    pools = simulate_fleet(plan, model, Engine(), Fleet(1, prefill=1, handover=0.5))
    longest = lambda one: max(numpy.diff(one.times))  # noqa: E731
    assert longest(mixed[0]) == pytest.approx(0.41)  # a step with the other prompt in it
    assert pools[0].times[1] - pools[0].times[0] == pytest.approx(0.01 + 0.5 * 10 / 1000)
    assert max(numpy.diff(pools[0].times[1:])) == pytest.approx(0.01)
    assert pools[1].ttft == pytest.approx(0.41) and pools[1].times[1] - pools[1].times[0] >= 0.5 * 0.4


def test_an_answer_of_one_token_is_never_handed_over():
    plan = [Record(0, 0.0, asked_prompt=10, asked_output=1)]
    found = simulate_fleet(plan, MODEL, Engine(), Fleet(1, prefill=1, handover=100.0))
    assert found[0].outcome == "ok" and found[0].latency < 0.1


def test_a_limit_refuses_what_would_come_late_and_the_others_are_answered():
    plan = requests((30,), seconds=10.0)
    all_of_them = simulate_fleet(plan, MODEL, Engine(slots=4), Fleet())
    found = simulate_fleet(plan, MODEL, Engine(slots=4), Fleet(first_token_limit=0.5))
    refused = [one for one in found if one.outcome == "shed"]
    assert 0 < len(refused) < len(found) == len(plan)
    assert all(one.outcome in ("ok", "shed") for one in found)
    assert numpy.quantile([one.ttft for one in found if one.outcome == "ok"], 0.9) < 0.5 * max(
        one.ttft for one in all_of_them
    )


def conversations(users=12, turns=4, start=0):
    """Recorded: each turn's prompt holds the turns before it, and was found in the cache of the one server."""
    found = []
    for user in range(users):
        at = 0.1 * user
        for turn in range(turns):
            prompt = 320 * (turn + 1)
            one = Record(start + len(found), at, prompt_tokens=prompt, asked_output=16, conversation=user, turn=turn)
            one.cached_tokens, one.outcome, one.end = 320 * turn, "ok", at + 1.0
            found.append(one)
            at += 1.5
    return found


def test_conversations_find_their_cache_only_where_the_router_sends_them_back():
    kv, turns = (
        simulate_fleet(conversations(13), MODEL, Engine(), Fleet(3, policy)) for policy in ("kv-aware", "round-robin")
    )
    cached = [sum(one.cached_tokens for one in side) / sum(one.prompt_tokens for one in side) for side in (kv, turns)]
    assert cached[0] > 1.5 * cached[1] > 0
    assert mean(kv, lambda one: one.ttft) < mean(turns, lambda one: one.ttft)


def test_a_server_without_a_cache_has_none_in_a_fleet_either():
    plan = conversations()
    for one in plan:
        one.cached_tokens = None
    found = simulate_fleet(plan, MODEL, Engine(), Fleet(2, "kv-aware"))
    assert not any(one.cached_tokens for one in found)


def test_a_shared_beginning_is_computed_once_per_replica():
    plan = [
        Record(n, 1.0 * n, prompt_tokens=640, cached_tokens=320 * (n > 0), asked_output=2, begins_with=320, group=n % 2)
        for n in range(8)
    ]
    found = simulate_fleet(plan, MODEL, Engine(), Fleet(2, "round-robin"))
    assert [one.cached_tokens for one in found] == [0, 0, *[320] * 6]
    assert [one.cached_tokens for one in simulate_fleet(plan, MODEL, Engine(), Fleet(2, blocks=4))] == [0, 0, *[64] * 6]


def test_a_later_turn_is_asked_when_the_answer_before_it_was_read():
    found = simulate(conversations(1, 3), StepModel(base=0.1), Engine())
    gaps = [after.intended - before.end for before, after in pairwise(found)]
    assert gaps == pytest.approx([0.5, 0.5]) and found[0].end == pytest.approx(1.6)


def test_steps_of_a_search_that_number_their_conversations_anew_share_nothing():
    again = conversations(3, 2, start=100)
    for one in again:
        one.intended, one.end = one.intended + 100, one.end + 100
    found = simulate_fleet([*conversations(3, 2), *again], MODEL, Engine(), Fleet(2, "kv-aware"))
    first_turns = [one for one in found if one.turn == 0]
    assert len(first_turns) == 6 and not any(one.cached_tokens for one in first_turns)
