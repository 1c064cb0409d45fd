"""Where requests go: turns, loads, known beginnings, and what is refused before it costs anything."""

import pytest

from perfproof.router.job import Job, job_of_body, job_of_tokens
from perfproof.router.policies import kv_aware, least_loaded, round_robin
from perfproof.router.prefixes import BLOCK_TOKENS, KnownPrefixes, names_of_text, names_of_tokens
from perfproof.router.router import NoWorker, Router, TooLate
from perfproof.router.worker import Worker


def job(blocks: int = 1, answer: int = 0, seed: int = 0) -> Job:
    return job_of_tokens([seed] * (blocks * BLOCK_TOKENS), answer)


def workers(count: int = 2, most: int = 100) -> list[Worker]:
    return [Worker(str(number), KnownPrefixes(most)) for number in range(count)]


def test_round_robin_gives_everyone_a_turn_and_a_worker_that_comes_back_no_extra_ones():
    router = Router(workers(3), round_robin)
    router.workers[1].is_up = False
    for _ in range(4):
        router.place(job(), 0.0)
    router.workers[1].is_up = True
    names = [router.place(job(), 0.0).name for _ in range(6)]
    assert names == ["1", "0", "2", "1", "0", "2"]


def test_least_loaded_counts_work_and_not_requests():
    router = Router(workers(), least_loaded)
    long = router.place(job(40), 0.0)
    assert [router.place(job(5), 0.0) is long for _ in range(4)] == [False] * 4


def test_a_worker_has_less_to_do_after_the_first_token_and_nothing_after_the_end():
    (worker,) = workers(1)
    one = job(10, answer=BLOCK_TOKENS)
    worker.begin(one, 0.0)
    assert (worker.waiting_blocks, worker.held_blocks) == (10, 11)
    worker.note_first_token(one, 1.0)
    assert (worker.waiting_blocks, worker.held_blocks) == (0, 11)
    worker.end(one, 2.0)
    assert (worker.waiting_blocks, worker.held_blocks) == (0, 0)


def test_kv_aware_returns_to_the_worker_that_knows_the_beginning_until_it_has_too_much_to_do():
    router = Router(workers(), kv_aware)
    first = router.place(job(10, seed=7), 0.0)
    first.jobs.clear()
    assert router.place(job(10, seed=7), 1.0) is first
    for number in range(2):  # the sum of what waits and what is held there is above ten blocks now
        first.begin(job(10, seed=number + 50), 1.0)
    assert router.place(job(10, seed=7), 2.0) is not first


def test_least_loaded_does_not_look_at_beginnings():
    router = Router(workers(), least_loaded)
    first = router.place(job(10, seed=7), 0.0)
    first.jobs.clear()
    assert router.place(job(10, seed=7), 1.0) is not first


def test_only_equal_beginnings_have_equal_names():
    whole = names_of_tokens(range(64))
    other = names_of_tokens([0, 99, *range(2, 64)])
    assert len(whole) == 4 and not set(whole) & set(other)  # a later block is named after those before it
    assert names_of_tokens(range(40)) == whole[:2]
    assert not set(whole) & set(names_of_tokens(range(64), b"salt"))
    assert names_of_text(b"a" * 130) == names_of_text(b"a" * 200)[:2]


def test_what_was_used_longest_ago_is_forgotten_first_and_of_a_text_its_end():
    known = KnownPrefixes(5)
    old, new = names_of_tokens([1] * 48), names_of_tokens([2] * 48)
    known.add(old)
    known.add(new)
    assert len(known.names) == 5
    assert (known.overlap(old), known.overlap(new)) == (2, 3)
    known.add(old[:1])
    known.add(names_of_tokens([3] * 48))
    assert known.overlap(old) == 1


def test_nobody_is_asked_twice_and_a_worker_that_is_down_not_at_all():
    router = Router(workers(), round_robin)
    one = router.place(job(), 0.0)
    two = router.place(job(), 0.0, [one])
    assert one is not two
    with pytest.raises(NoWorker):
        router.place(job(), 0.0, [one, two])
    one.is_up = two.is_up = False
    with pytest.raises(NoWorker):
        router.place(job(), 0.0)


def busy(worker: Worker, blocks: int, seconds: float) -> None:
    """So many prompt blocks took so many seconds, and as many are waiting now."""
    one, two = job(blocks, seed=1), job(blocks, seed=2)
    worker.begin(one, 0.0)
    worker.note_first_token(one, seconds)
    worker.end(one, seconds)
    worker.begin(two, seconds)


def test_what_would_come_too_late_is_refused_by_how_much_too_late():
    router = Router(workers(1), least_loaded, first_token_limit=1.0)
    busy(router.workers[0], blocks=10, seconds=2.0)  # 5 blocks per second, 10 waiting
    with pytest.raises(TooLate) as late:
        router.place(job(5, seed=3), 2.0)
    assert late.value.seconds == pytest.approx(15 / 5 - 1)
    assert router.counts["rejected"] == 1 and router.counts["placed"] == 0


def test_what_would_be_in_time_is_placed_and_so_is_the_first_request_of_all():
    router = Router(workers(1), least_loaded, first_token_limit=3.1)
    router.place(job(10_000), 0.0)
    router = Router(workers(1), least_loaded, first_token_limit=3.1)
    busy(router.workers[0], blocks=10, seconds=2.0)
    router.place(job(5, seed=3), 2.0)


def test_an_idle_worker_takes_any_request_so_that_one_slow_answer_does_not_close_the_router():
    router = Router(workers(1), least_loaded, first_token_limit=0.001)
    busy(router.workers[0], blocks=1, seconds=100.0)
    router.workers[0].jobs.clear()
    router.place(job(50, seed=3), 100.0)


def test_a_request_that_was_accepted_is_not_refused_when_its_worker_dies():
    router = Router(workers(2), least_loaded, first_token_limit=0.001)
    busy(router.workers[1], blocks=10, seconds=2.0)
    assert router.place(job(5, seed=3), 2.0, tried=[router.workers[0]]) is router.workers[1]


def test_the_rate_counts_busy_time_only():
    (worker,) = workers(1)
    for start in (0.0, 100.0):
        one = job(10, seed=int(start))
        worker.begin(one, start)
        worker.note_first_token(one, start + 2)
        worker.end(one, start + 50)
    assert worker.blocks_per_second == pytest.approx(5)


@pytest.mark.parametrize(
    ("body", "prompt", "answer", "names"),
    [
        (b'{"prompt": "' + b"x" * 640 + b'", "max_tokens": 7}', 160, 7, 10),
        (b'{"prompt": [' + b",".join([b"5"] * 33) + b'], "stream": true}', 33, 16, 2),
        (b'{"messages": [{"role": "user", "content": "' + b"y" * 640 + b'"}]}', 161, 16, 10),
        (b'{"prompt": ["' + b"z" * 64 + b'"]}', 16, 16, 1),
        (b"not JSON", 1, 16, 0),
        (b"[1, 2]", 1, 16, 0),
        (b'{"messages": "none", "max_tokens": "many"}', 1, 16, 0),
        (b'{"messages": [7, {"content": [{"type": "text"}]}]}', 6, 16, 0),
        (b'{"prompt": "\\ud800"}', 1, 16, 0),
    ],
)
def test_a_body_is_read_as_far_as_it_can_be(body, prompt, answer, names):
    found = job_of_body(body)
    assert (found.answer, len(found.names)) == (answer, names)
    assert found.prompt == pytest.approx(prompt, abs=2)


def test_chats_with_one_system_prompt_begin_alike_and_salted_ones_do_not():
    def chat(said: str, salt: str = "") -> list[bytes]:
        system = '{"role": "system", "content": "' + "s" * 300 + '"}'
        fields = f'{{"messages": [{system}, {{"role": "user", "content": "{said * 100}"}}], "cache_salt": "{salt}"}}'
        return job_of_body(fields.encode()).names

    first, second = chat("a"), chat("b")
    assert first[:4] == second[:4] and first[-1] != second[-1]
    assert first[0] != chat("a", "salt")[0]
