"""Random schedules: no block is lost, no shared block is written, every request ends."""

import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.engine.blocks import Blocks
from perfproof.engine.request import Request, Sampling
from perfproof.engine.scheduler import Scheduler
from perfproof.engine.speculation import accepted

ENDLESS = 3000


def check_blocks(scheduler: Scheduler) -> None:
    """Every block is free or has as many users as requests hold it; a request holds enough for what it computed."""
    blocks = scheduler.blocks
    held = Counter(block for request in scheduler.running for block in request.blocks)
    assert all(blocks.users[block] == held[block] for block in range(blocks.count))
    assert {block for block in range(blocks.count) if not held[block]} == set(blocks.free)
    assert all(not request.blocks and request.slot == -1 for request in scheduler.waiting)
    slots = [request.slot for request in scheduler.running]
    assert sorted(slots + scheduler.slots) == list(range(scheduler.most_running))


def check_writes(scheduler: Scheduler, plan) -> None:
    """What a step writes belongs to one request alone, and has no name yet."""
    size = scheduler.blocks.size
    for piece in plan.pieces:
        for position in range(piece.start, piece.start + piece.count):
            block = piece.request.blocks[position // size]
            assert scheduler.blocks.users[block] == 1 and scheduler.blocks.names[block] is None


def simulate(scheduler: Scheduler, requests: list[Request], arrivals: list[int], drawn: random.Random, overlap: bool):
    """The engine without a model: tokens are drawn, guesses are right now and then, and some clients go away."""
    before = None
    for step in range(ENDLESS):
        for request, arrival in zip(requests, arrivals, strict=True):
            if arrival == step:
                scheduler.waiting.append(request)
        if drawn.random() < 0.05 and scheduler.running:
            gone = drawn.choice(scheduler.running)
            gone.finish = "cancelled"
            scheduler.release(gone)
        guesses = {} if overlap else {one.id: [drawn.randrange(2) for _ in range(3)] for one in scheduler.running}
        plan = scheduler.plan(guesses)
        assert plan.tokens <= scheduler.token_budget
        assert not {piece.request.id for piece in plan.pieces} & {one.id for one in plan.preempted}
        check_writes(scheduler, plan)
        check_blocks(scheduler)
        read, before = (before, plan) if overlap else (plan, None)
        collect(scheduler, read, drawn)
        check_blocks(scheduler)
        if all(request.finish for request in requests):
            return
    raise AssertionError("a request does not end")


def collect(scheduler, plan, drawn) -> None:
    for piece in plan.pieces if plan else ():
        request = piece.request
        if request.finish or not piece.samples:
            continue
        new = accepted(piece.drafts, [drawn.randrange(2) for _ in range(1 + len(piece.drafts))])
        if piece.drafts:
            request.computed += len(new)
        else:
            request.in_flight -= 1
        request.tokens += new
        assert len(request.answer) <= request.sampling.max_tokens
        if len(request.answer) == request.sampling.max_tokens:
            request.finish = "length"
            scheduler.release(request)
        else:
            scheduler.name_full_blocks(request)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 5),
    spare=st.integers(0, 20),
    budget=st.integers(1, 40),
    most=st.integers(1, 6),
    chunked=st.booleans(),
    remember=st.booleans(),
    overlap=st.booleans(),
)
def test_random_schedules_lose_no_block_and_every_request_ends(
    seed, size, spare, budget, most, chunked, remember, overlap
):
    drawn = random.Random(seed)
    prompts = [[drawn.randrange(2) for _ in range(drawn.randrange(1, 25))] for _ in range(8)]
    requests = [
        Request(str(number), prompt, Sampling(max_tokens=drawn.randrange(1, 12)))
        for number, prompt in enumerate(prompts)
    ]
    longest = max(len(one.prompt) + one.sampling.max_tokens for one in requests)
    blocks = Blocks(-(-longest // size) + spare, size, remember)
    scheduler = Scheduler(blocks, budget, most, chunked)
    simulate(scheduler, requests, [drawn.randrange(10) for _ in requests], drawn, overlap)
    assert blocks.used == 0


def test_the_check_finds_a_lost_block():
    scheduler = Scheduler(Blocks(4, 2))
    scheduler.blocks.take()
    with pytest.raises(AssertionError):
        check_blocks(scheduler)


def test_a_decode_step_goes_before_a_long_prompt_and_shares_the_budget():
    scheduler = Scheduler(Blocks(100, 4), token_budget=10)
    short, long = Request("short", [1, 2, 3]), Request("long", [1] * 50)
    scheduler.waiting.extend([short, long])
    assert [(piece.request.id, piece.count) for piece in scheduler.plan().pieces] == [("short", 3), ("long", 7)]
    assert [(piece.request.id, piece.count) for piece in scheduler.plan().pieces] == [("short", 1), ("long", 9)]


def test_whole_prompts_wait_for_a_step_with_room():
    scheduler = Scheduler(Blocks(100, 4), token_budget=10, chunked=False)
    scheduler.waiting.extend([Request("a", [1] * 6), Request("b", [2] * 6)])
    assert [piece.request.id for piece in scheduler.plan().pieces] == ["a"]
    assert [(piece.request.id, piece.count) for piece in scheduler.plan().pieces] == [("a", 1), ("b", 6)]


def test_without_room_the_request_that_came_last_is_computed_again():
    scheduler = Scheduler(Blocks(4, 2))
    first, last = Request("first", [1, 2, 3, 4]), Request("last", [5, 6, 7, 8])
    scheduler.waiting.extend([first, last])
    scheduler.plan()
    plan = scheduler.plan()
    assert plan.preempted == [last] and list(scheduler.waiting) == [last] and last.computed == 0
    assert [piece.request for piece in plan.pieces] == [first]
