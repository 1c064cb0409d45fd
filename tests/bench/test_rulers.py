"""The timing audit: events, host and device records of one region have to tell the same."""

from types import SimpleNamespace

from perfproof.bench.process_record import ProcessRecord
from perfproof.bench.rulers import Rulers, look_by_other_clocks, timing_audit
from perfproof.bench.sampling import choose_priming, launch_bound


def audit(events=35e-6, host=35.2e-6, busy=33e-6, clock=1.98e9, by="CUPTI", why="", judged=34e-6):
    return timing_audit({"optimized": Rulers(judged, events, host, busy, clock)}, by, why)


def test_rulers_that_agree_pass_in_one_line():
    check = audit()
    assert check.result == "pass" and "\n" not in check.detail
    for part in ("events 35", "host 35", "busy 33", "1.98 GHz", "CUPTI"):
        assert part in check.detail


def test_work_after_the_stop_event_is_seen_by_the_host():
    check = audit(events=5e-6, host=40e-6)
    assert check.result == "fail" and "by the host's clock" in check.detail


def test_work_beside_the_events_is_seen_in_the_records():
    check = audit(events=5e-6, host=5.1e-6, busy=33e-6)
    assert check.result == "fail" and "busy for 33.0 µs" in check.detail


def test_work_that_is_done_before_the_start_event_while_the_queue_is_held_is_seen_in_the_records():
    check = audit(judged=4e-6)
    assert check.result == "fail" and "4.0 µs between the events" in check.detail


def test_gaps_between_kernels_are_no_finding():
    assert audit(busy=3e-6).result == "pass"


def test_records_that_could_not_be_read_are_named_and_no_pass_of_theirs_is_claimed():
    check = audit(busy=None, by="", why="CUPTI is denied")
    assert check.result == "pass" and "busy time unknown: CUPTI is denied" in check.detail


def record(enqueue, held):
    found = ProcessRecord(0, 0, 1)
    found.enqueue_seconds, found.held_seconds = dict(enqueue), dict(held)
    found.call_seconds = dict.fromkeys(held, 50e-6)
    return found


def test_the_queue_is_held_where_the_device_is_the_slower_one():
    found = record({"baseline": 5e-6, "optimized": 6e-6}, {"baseline": 40e-6, "optimized": 30e-6})
    choose_priming(found)
    assert found.primed and found.call_seconds == {"baseline": 40e-6, "optimized": 30e-6}


def test_one_launch_bound_side_is_enough_to_hold_it_on_neither():
    found = record({"baseline": 5e-6, "optimized": 6e-6}, {"baseline": 40e-6, "optimized": 3e-6})
    choose_priming(found)
    assert not found.primed and found.call_seconds["baseline"] == 50e-6
    assert launch_bound(found, "optimized") and not launch_bound(found, "baseline")


def test_a_side_that_waits_for_the_device_is_not_launch_bound_and_no_queue_is_held():
    found = record({"baseline": 50e-6, "optimized": 6e-6}, {"baseline": 40e-6, "optimized": 30e-6})
    found.waits = {"baseline": True, "optimized": False}
    choose_priming(found)
    assert not found.primed and not launch_bound(found, "baseline")


def test_the_first_process_decides_for_all():
    found = record({"baseline": 5e-6}, {"baseline": 3e-6})
    choose_priming(found, primed=True)
    assert found.primed


def test_a_cpu_has_no_queue():
    found = record({}, {})
    choose_priming(found)
    assert not found.primed


class Recorded:
    """Answers as a worker on a GPU does, and remembers of how many calls its records are."""

    def ask(self, command, deadline, **fields):
        if command == "glance":
            return {"seconds": 4e-3}
        self.calls = fields["calls"]
        sides = {side: {"seconds": 4e-3, "audited_seconds": 4e-3, "streams": 2} for side in self.calls}
        return {"by": "CUPTI", "why": "", "sides": sides}


def test_the_device_records_as_many_calls_as_lie_between_the_events(monkeypatch):
    worker, found, between_events = Recorded(), ProcessRecord(0, 0, 1), {}

    def sample(job, worker, samples, renew, clock):
        between_events.update({side: calls for side, calls, *_ in samples})
        return [[0, 0, 4e-3, 4e-3 * calls, 0, 0, 0.0, 1.98e9] for _, calls, *_ in samples]

    monkeypatch.setattr("perfproof.bench.rulers.ask_samples", sample)
    found.call_seconds = {"baseline": 4e-3, "optimized": 1e-3}
    job = SimpleNamespace(device="cuda:0", variants=("optimized",), deadline=None, sample_seconds_usual=2e-3)
    look_by_other_clocks(job, dict.fromkeys(("baseline", "optimized"), worker), found)
    assert worker.calls == between_events == {"baseline": 8, "optimized": 30}
