"""The clock audit of a side whose device gives the host's clock more than the events."""

from types import SimpleNamespace

import pytest

from perfproof.bench.checks import timing_audit
from perfproof.bench.record import ProcessRecord
from perfproof.worker.row import Row


def audited(monkeypatch, *, shared, host_per_call):
    job = SimpleNamespace(ranks=1, clock="call", device="cuda:0", variants=(), deadline=0.0, shared=shared)

    def ask_samples(job, worker, samples, clock="", warm=False):
        calls = samples[0][1]
        return [Row(0, 1, 1e-3, host_seconds=host_per_call * calls)]

    monkeypatch.setattr(timing_audit, "ask_samples", ask_samples)
    monkeypatch.setattr(timing_audit.clock_audit, "hidden_problem", lambda *_: "")
    worker = SimpleNamespace(ask=lambda command, deadline, **_: {"sides": {}})
    record = ProcessRecord(0, 0, 0, "plain")
    record.call_seconds = {"baseline": 1e-3}
    return timing_audit.audit_clocks(job, {"baseline": worker}, record)


def test_a_device_of_one_s_own_whose_clocks_disagree_rejects_the_target(monkeypatch):
    found = audited(monkeypatch, shared=False, host_per_call=9e-3)
    assert found.result == "fail" and "join every stream" in found.detail


def test_a_device_that_others_use_too_leaves_the_audit_not_run(monkeypatch):
    found = audited(monkeypatch, shared=True, host_per_call=9e-3)
    assert found.result == "not-run" and "others compute on cuda:0" in found.detail


@pytest.mark.parametrize("shared", [True, False])
def test_clocks_that_agree_pass_on_either(monkeypatch, shared):
    assert audited(monkeypatch, shared=shared, host_per_call=1e-3).result == "pass"
