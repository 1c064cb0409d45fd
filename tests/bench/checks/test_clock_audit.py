"""The clock audit: a worker's claims against the run's own clock, and on a GPU against the host and its records."""

import itertools
import time
from types import SimpleNamespace

import pytest

from perfproof.bench.checks import clock_audit, timing_audit
from perfproof.bench.checks.clock_audit import NAME, Rulers, conclude, device_problem, hidden_problem, rulers_of
from perfproof.bench.checks.timing_audit import audit_clocks, look_by_other_clocks
from perfproof.bench.record import ProcessRecord
from perfproof.core.errors import WorkerLied
from perfproof.worker.row import Row
from tests.bench.comparison.recorded import job
from tests.repeating import up_to

MS = 1_000_000


def row(start, end, calls=1, seconds=None, host=None):
    return Row(start, end, (end - start) * 1e-9 / calls if seconds is None else seconds, host)


# the window of a question


def test_samples_inside_the_question_are_believed():
    clock_audit.check_window([row(1 * MS, 3 * MS), row(4 * MS, 6 * MS)], [1, 1], 0, 7 * MS)


@pytest.mark.parametrize(
    "rows",
    [
        [row(-1 * MS, 1 * MS)],
        [row(5 * MS, 9 * MS)],
        [row(1 * MS, 4 * MS), row(3 * MS, 5 * MS)],
        [row(4 * MS, 3 * MS)],
    ],
    ids=["begins before it is asked for", "ends after the answer", "overlap", "ends before it begins"],
)
def test_samples_that_cannot_have_happened_are_a_lie(rows):
    with pytest.raises(WorkerLied, match="outside"):
        clock_audit.check_window(rows, [1] * len(rows), 0, 7 * MS)


def test_more_time_than_passed_is_a_lie():
    with pytest.raises(WorkerLied, match="more time than passed"):
        clock_audit.check_window([row(1 * MS, 3 * MS, seconds=0.005)], [1], 0, 7 * MS)
    with pytest.raises(WorkerLied, match="more time than passed"):
        clock_audit.check_window([row(1 * MS, 3 * MS, seconds=0.001)], [5], 0, 7 * MS)


# time that is hidden


def asked(claim, seconds=0.001):
    """What the audit says of a worker whose questions take `seconds` and that claims `claim` of them."""
    laid_out = []

    def ask():
        assert laid_out and laid_out.pop() == "sets", "arguments are made before the question"
        started = time.perf_counter()
        while time.perf_counter() - started < seconds:
            pass
        return claim * (time.perf_counter() - started)

    return hidden_problem("optimized", lambda calls: laid_out.append("sets") if calls else None, ask, calls=10)


def test_time_that_the_worker_does_not_claim_is_found():
    said = asked(0.2, seconds=0.010)
    assert said.startswith("optimized: a sample took ") and said.endswith("time is hidden from the worker's clock")


@up_to(3)
def test_a_worker_that_claims_what_it_takes_is_believed():
    assert asked(1.0, seconds=0.010) == ""


@up_to(3)
def test_handing_over_the_arguments_is_allowed_for():
    """2 ms for the question, 1 µs per call and a quarter of what is claimed."""
    assert asked(0.8, seconds=0.010) == ""
    assert asked(0.0, seconds=0.0015) == ""


@up_to(3)
def test_a_machine_that_is_busy_elsewhere_answers_in_time_once():
    tries = itertools.count()

    def ask():
        time.sleep(0.02 if next(tries) < clock_audit.TRIES - 1 else 0.0)
        return 0.0

    assert hidden_problem("baseline", lambda calls: None, ask, 1) == ""


def test_a_lie_is_asked_for_a_few_times_and_not_for_ever():
    tries = []

    def ask():
        tries.append(1)
        time.sleep(0.005)
        return 0.0

    assert hidden_problem("baseline", lambda calls: None, ask, 1)
    assert len(tries) == clock_audit.TRIES


def test_nothing_is_said_of_a_machine_that_answers_a_question_for_nothing_as_late():
    def late(*_):
        time.sleep(0.005)
        return 0.0

    with pytest.raises(clock_audit.Late, match=r"a question for nothing took .* the machine is busy with other work"):
        hidden_problem("baseline", late, late, 1)
    check = conclude([""], {}, "", "", "the machine is busy with other work")
    assert (check.result, check.detail) == ("not-run", "the machine is busy with other work")
    assert conclude(["time is hidden"], {}, "", "", "late").result == "fail", "what another side showed counts"


# a device's events


def test_events_that_end_before_the_device_does_disagree_with_the_host():
    assert clock_audit.clocks_agree(row(0, 2 * MS, seconds=0.002, host=0.00205), 1)
    assert not clock_audit.clocks_agree(row(0, 9 * MS, seconds=0.002, host=0.009), 1)
    assert clock_audit.clocks_agree(row(0, 2 * MS, seconds=0.002, host=None), 1)


def problem(events=35e-6, host=35.2e-6, busy=33e-6, judged=34e-6, recorded=0.0, sway=1.0, held=True):
    return device_problem("optimized", Rulers(judged, events, host, busy, 1.98e9, recorded, sway, held))


def test_clocks_that_agree_are_no_problem():
    assert problem() == ""


def test_work_after_the_stop_event_is_seen_by_the_host():
    said = problem(events=5e-6, host=40e-6)
    assert "40.0 µs per call by the host's clock" in said and "join every stream" in said


def test_work_beside_the_events_is_seen_in_the_records():
    assert "busy for 33.0 µs" in problem(events=5e-6, host=5.1e-6, busy=33e-6)


def test_work_that_is_done_before_the_start_event_while_the_queue_is_held_is_seen_in_the_records():
    assert "4.0 µs between the events" in problem(judged=4e-6)


def test_calls_that_were_slower_while_they_were_recorded_are_held_against_their_own_events():
    assert problem(busy=37e-6, recorded=37.2e-6) == "", "a lower clock while the records were taken"
    assert problem(busy=37e-6, recorded=34e-6), "the events of the same calls do not see it"
    assert problem(busy=60e-6, recorded=60e-6), "no clock is that much lower"


def test_calls_beside_another_program_may_be_as_much_slower_as_those_that_were_not_recorded():
    assert problem(busy=60e-6, recorded=61e-6, sway=1.8) == ""
    assert problem(busy=60e-6, recorded=34e-6, sway=1.8), "the events of the same calls do not see it"
    assert problem(judged=4e-6, busy=33e-6, recorded=33e-6, sway=1.8), "the samples that judge are far shorter"


def test_calls_that_no_queue_was_held_for_may_be_slower_while_they_are_recorded():
    """Copies and kernels on several streams run into each other less if the host pauses between calls."""
    assert problem(busy=60e-6, recorded=61e-6, held=False) == ""
    assert problem(busy=60e-6, recorded=34e-6, held=False), "the events of the same calls do not see it"
    assert problem(events=5e-6, host=40e-6, recorded=40e-6, held=False), (
        "the host sees it in a call that is not recorded"
    )


def test_gaps_between_kernels_are_no_finding():
    assert problem(busy=3e-6) == ""


def test_records_that_could_not_be_read_are_no_finding():
    assert problem(busy=None) == ""


def test_the_host_s_own_200_us_are_spread_over_an_audited_sample():
    spare = 200e-6 / clock_audit.SECONDS
    assert problem(events=1e-3, judged=1e-3, host=1e-3 * (1.049 + spare)) == ""
    assert problem(events=1e-3, judged=1e-3, host=1e-3 * (1.051 + spare))


def test_of_three_samples_the_one_in_which_the_host_was_held_up_least_counts():
    hosts = iter([0.080, 0.0301, 0.050])

    def ask():
        return Row(0, 0, 1e-3, next(hosts), clock_hz=1.9e9)

    found = rulers_of(ask, 30, judged=0.9e-3, kernels={"audited_seconds": 0.8e-3})
    assert found == Rulers(0.9e-3, 1e-3, pytest.approx(0.0301 / 30), 0.8e-3, 1.9e9)


# one check for all of them


def test_the_first_problem_is_the_finding():
    check = conclude(["", "optimized: hidden", "optimized: streams"], {}, "", "")
    assert (check.name, check.result, check.detail) == (NAME, "fail", "optimized: hidden")


def test_clocks_side_by_side_in_one_line():
    check = conclude([""], {"optimized": Rulers(34e-6, 35e-6, 35.2e-6, 33e-6, 1.98e9)}, "CUPTI", "")
    assert check.result == "pass" and "\n" not in check.detail
    for part in ("the run's own clock agrees", "events 35", "host 35", "busy 33", "1.98 GHz", "CUPTI"):
        assert part in check.detail


def test_records_that_could_not_be_read_are_named_and_no_pass_of_theirs_is_claimed():
    check = conclude([], {"optimized": Rulers(34e-6, 35e-6, 35e-6, None, None)}, "", "CUPTI is denied")
    assert check.result == "pass" and "busy time unknown: CUPTI is denied" in check.detail


def test_a_cpu_has_one_other_clock():
    assert conclude(["", ""], {}, "", "").detail == "the run's own clock agrees with the worker's"


# who is asked for what


class Audited:
    """Answers as a worker that hides `hidden` of the seconds of its samples from the run."""

    def __init__(self, call_seconds=1e-3, hidden=0.0, host=1.0, busy=()):
        self.call_seconds, self.hidden, self.host, self.asked = call_seconds, hidden, host, []
        self.busy = list(busy)  # shares of a call, of the first recordings; then 0.9
        self.repeated, self.held_sets = 0.0, 0

    def ask(self, command, deadline, **fields):
        self.asked.append((command, fields))
        if command == "glance":
            return {"seconds": 4e-3}
        if command == "kernels":
            busy = (self.busy.pop(0) if self.busy else 0.9) * self.call_seconds
            sides = {side: {"seconds": 4e-3, "audited_seconds": busy} for side in fields["calls"]}
            return {"by": "CUPTI", "why": "", "sides": sides}
        if command == "lay_out":
            return {}
        ((_, calls, _),) = fields["samples"]
        start = time.perf_counter_ns()
        time.sleep(calls * self.call_seconds)
        seconds = (time.perf_counter_ns() - start) * 1e-9 * (1 - self.hidden)
        host = self.host * seconds if fields["clock"] == "call" else None
        read = [start, time.perf_counter_ns(), seconds / calls, host, 0, 0, 0.0, 1.98e9]
        return {"rows": [read], "repeated": 0.0, "held_sets": 8}


def audited(device="cpu", **behaviour):
    one = job() if device == "cpu" else SimpleNamespace(**{**vars(job()), "device": device, "ranks": 1})
    worker, found = Audited(**behaviour), ProcessRecord(0, 0, 1)
    found.call_seconds = dict.fromkeys(("baseline", "optimized"), 1e-3)
    return audit_clocks(one, dict.fromkeys(found.call_seconds, worker), found), worker


@up_to(3)
def test_each_side_is_asked_for_calls_that_fill_the_audit_on_sets_that_are_made_before():
    check, worker = audited()
    assert check.result == "pass"
    assert [command for command, _ in worker.asked] == ["lay_out", "run"] * 2
    samples = [fields["samples"] for command, fields in worker.asked if command == "run"]
    assert samples == [[["baseline", 30, False]], [["optimized", 30, False]]]
    assert all(fields["warm"] for command, fields in worker.asked if command == "run")


def test_a_side_that_hides_half_of_its_time_fails_the_audit():
    check, _ = audited(hidden=0.5)
    assert check.result == "fail" and "time is hidden from the worker's clock" in check.detail


@up_to(3)
def test_on_a_gpu_the_host_is_compared_too():
    assert audited("cuda:0", host=1.0)[0].result == "pass"
    check, _ = audited("cuda:0", host=1.2)
    assert check.result == "fail" and "by the host's clock" in check.detail


@up_to(3)
def test_a_device_that_seems_busy_where_no_event_sees_it_is_asked_three_times():
    one = SimpleNamespace(**{**vars(job()), "device": "cuda:0", "ranks": 1, "sample_seconds": 1e-3})

    def audit(busy):
        worker, found = Audited(busy=busy), ProcessRecord(0, 0, 1)
        found.call_seconds = dict.fromkeys(("baseline", "optimized"), 1e-3)
        workers = dict.fromkeys(found.call_seconds, worker)
        look_by_other_clocks(one, workers, found)
        return audit_clocks(one, workers, found)

    assert audit([9.0, 9.0, 0.9, 9.0, 0.9]).result == "pass"
    assert "work runs where they do not see it" in audit([9.0] * 5).detail


def test_the_device_records_as_many_calls_as_lie_between_the_events():
    worker, found = Audited(), ProcessRecord(0, 0, 1)
    found.call_seconds = {"baseline": 4e-3, "optimized": 1e-3}
    on_gpu = SimpleNamespace(device="cuda:0", clock="call", variants=("optimized",), deadline=None, sample_seconds=1e-3)
    look_by_other_clocks(on_gpu, dict.fromkeys(("baseline", "optimized"), worker), found)
    ((_, fields),) = [one for one in worker.asked if one[0] == "kernels"]
    assert fields["calls"] == {"baseline": 8, "optimized": 30}
    assert set(found.kernels) == set(found.latency) == set(found.hot) == {"baseline", "optimized"}


def test_very_short_calls_are_not_all_recorded():
    worker, found = Audited(), ProcessRecord(0, 0, 1)
    found.call_seconds = {"baseline": 1e-6, "optimized": 1e-6}
    on_gpu = SimpleNamespace(device="cuda:0", clock="call", variants=("optimized",), deadline=None, sample_seconds=1e-3)
    look_by_other_clocks(on_gpu, dict.fromkeys(("baseline", "optimized"), worker), found)
    ((_, fields),) = [one for one in worker.asked if one[0] == "kernels"]
    assert set(fields["calls"].values()) == {timing_audit.RECORDED_MOST_CALLS}


def test_on_a_cpu_only_latency_is_read_beside():
    worker, found = Audited(), ProcessRecord(0, 0, 1)
    found.call_seconds = {"baseline": 1e-3, "optimized": 1e-3}
    look_by_other_clocks(job(), dict.fromkeys(("baseline", "optimized"), worker), found)
    assert {command for command, _ in worker.asked} == {"glance"} and found.hot == found.kernels == {}
