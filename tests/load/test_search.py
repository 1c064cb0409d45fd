"""The search on queues of known capacity, in simulated time; limits as people write them; ends that come early."""

import math

import numpy
import pytest

from benchmarks.slo_coverage import batches, held, late_in_two_slots, true_rate, two_slots
from perfproof.core.errors import UsageError
from perfproof.load.record import Record
from perfproof.load.search import Step, conclude, power_law, search
from perfproof.load.slo import BLOCKS, Attained, attained, goodput, meets_all, parse_slo
from perfproof.load.watch import missed_alone, watcher

SERVICE, LOAD = 10.0, 0.7  # requests per second of an M/M/1 queue, and its load at the limit
LIMIT = math.log(100) / (SERVICE * (1 - LOAD))  # the time in the system is exponential: p99 is exactly this there


def simulated_step(rng, rate, seconds=600.0):
    count = int(rate * seconds * 1.3) + 20
    arrivals, work = numpy.cumsum(rng.exponential(1 / rate, count)), rng.exponential(1 / SERVICE, count)
    done = numpy.cumsum(work)
    latency = numpy.maximum.accumulate(arrivals - (done - work)) + done - arrivals
    start = 0.1 * seconds
    judged = (arrivals >= start) & (arrivals < seconds)
    blocks = ((arrivals[judged] - start) / (seconds - start) * BLOCKS).astype(int)
    misses = numpy.bincount(blocks, weights=latency[judged] > LIMIT, minlength=BLOCKS).astype(int)
    counts = numpy.bincount(blocks, minlength=BLOCKS)
    return Step(rate, (Attained(0.99, tuple(misses.tolist()), tuple(counts.tolist())),))


def test_of_twenty_searches_on_a_queue_of_known_capacity_at_least_eighteen_hold_the_truth():
    held, rates = 0, []
    for seed in range(20):
        rng = numpy.random.default_rng(seed)
        found, _ = search(lambda rate, rng=rng: simulated_step(rng, rate), 1.0)
        held += found.low <= SERVICE * LOAD <= found.high
        rates.append(found.rate)
        assert found.high / found.low < 1.6  # an interval that holds everything would be no answer
    assert held >= 18
    assert numpy.mean(rates) == pytest.approx(SERVICE * LOAD, rel=0.04)


@pytest.mark.parametrize(
    ("queue", "late", "truth", "limit"),
    [(two_slots, late_in_two_slots, None, 1.6), (batches, None, 11.65, 1.0)],  # by 600,000 simulated requests per rate
)
def test_intervals_hold_the_truth_on_queues_that_nothing_was_chosen_on(queue, late, truth, limit):
    truth = truth or true_rate(late, limit, 0.99, 9.9)
    inside, width = held(queue, truth, limit, 0.99, 200.0, 6)
    assert inside >= 5 and width < 1.5


def test_a_server_that_is_never_good_enough_or_always_is_has_no_rate():
    none = Attained(0.99, (10,) * BLOCKS, (10,) * BLOCKS)
    every = Attained(0.99, (0,) * BLOCKS, (100,) * BLOCKS)
    assert search(lambda rate: Step(rate, (none,)), 1.0)[0].rate is None
    found, steps = search(lambda rate: Step(rate, (every,)), 1.0, enough=lambda: False)
    assert found.rate is None and found.low == max(one.rate for one in steps)
    assert "every" in found.note and conclude(steps[:1], None, 1.0).note.startswith("no rate")


def test_a_power_law_crosses_where_its_misses_are_those_allowed():
    place, power = power_law([(math.log(rate), float(rate**3), 8.0) for rate in (1, 2, 4)])
    assert (place, power) == (pytest.approx(math.log(2)), pytest.approx(3.0))
    assert power_law([(0.0, 5.0, 8.0), (0.7, 5.0, 8.0), (1.4, 4.0, 8.0)]) is None


def test_limits_are_read_as_people_write_them():
    first, second = parse_slo("ttft_p99<500ms tpot_p95<=0.04s")
    assert (first.metric, first.quantile, first.limit) == ("TTFT", 0.99, 0.5)
    assert (second.metric, second.quantile, second.limit) == ("TPOT", 0.95, 0.04)
    assert parse_slo("TTFT_P99 < 500ms,tpot_p95 <= 0.04s") == [
        first.model_copy(update={"text": "ttft_p99<500ms"}),
        second,
    ]
    for wrong in ("", "ttft", "ttft<500", "speed_p99<5ms", "ttft_p100<5ms", "ttft < < 5ms", "ttft_p99<0ms"):
        with pytest.raises(UsageError, match="slo"):
            parse_slo(wrong)


def answered(index, ttft, outcome="ok"):
    at = float(index)
    return Record(
        index, at, at, sent=at, first_token=at + ttft, last_token=at + ttft, outcome=outcome, output_tokens=10
    )


def test_a_failed_request_meets_nothing_and_its_tokens_are_no_goodput():
    terms = parse_slo("ttft_p50<1s")
    records = [answered(0, 0.5), answered(1, 2.0), answered(2, 0.5, outcome="error"), answered(3, 0.1)]
    assert [meets_all(one, terms) for one in records] == [True, False, False, True]
    assert goodput(records, terms, 2.0) == (1.0, 10.0)
    assert attained(records, terms[0], 0.0, 4.0).share == 0.5


def test_bursts_of_misses_count_as_fewer_requests_than_single_ones():
    spread = Attained(0.9, (5,) * 10, (50,) * 10)
    burst = Attained(0.9, (50, *(0,) * 9), (50,) * 10)
    assert burst.share == spread.share and burst.independent() < spread.independent() / 10
    assert Attained(0.99, (0,) * 10, (200,) * 10).verdict == "meets"
    assert Attained(0.99, (20,) * 10, (200,) * 10).verdict == "misses"


def test_a_step_that_is_lost_ends_early_and_one_that_holds_does_not():
    terms = parse_slo("ttft_p90<1s")
    look = watcher(terms, planned=100)
    said = [look(answered(n, 5.0), 1) for n in range(60)]
    assert any("missed" in text for text in said)
    overloaded = watcher(parse_slo("ttft_p90<1000s"), planned=1000)
    assert any("faster" in overloaded(answered(n, 0.1 * n), n) for n in range(200))
    steady = watcher(terms, planned=1000)
    assert not any(steady(answered(n, 0.3 + 0.1 * (n % 3)), 5 + n % 4) for n in range(400))


def one_after_the_other(count, seconds, gap):
    """Requests that take so many seconds, so many seconds apart."""
    fields = {"first_token": seconds, "last_token": seconds, "end": seconds}
    made = range(count)
    return [Record(n, n * gap, outcome="ok", **{key: n * gap + value for key, value in fields.items()}) for n in made]


def test_a_limit_that_requests_miss_alone_is_met_at_no_rate():
    terms = parse_slo("ttft_p99<500ms")
    assert missed_alone(one_after_the_other(20, 0.6, 1.0), terms) == terms[0].text
    assert not missed_alone(one_after_the_other(20, 0.6, 0.3), terms), "they were in each other's way"
    assert not missed_alone(one_after_the_other(20, 0.4, 1.0), terms)
    assert not missed_alone(one_after_the_other(9, 0.6, 1.0), terms), "too few to say"
