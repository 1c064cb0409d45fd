"""Copies between host and device that no kernel hides."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.rules.copies_not_overlapped import find
from tests.diagnose.building import Program


def copying(name, until=300, kernel_from=250):
    program = Program()
    for base in program.starts():
        program.work(base, base + until, name, kind=Kind.COPY, bytes=3_000_000, stream=8)
    program.busy(kernel_from, 1000)
    return program


def test_what_lies_beside_a_kernel_is_hidden():
    found = find(copying("Memcpy HtoD (Pinned -> Device)").evidence())
    assert found.share == pytest.approx(0.25) and found.confidence == "high"


def test_a_step_is_never_shorter_than_its_copies():
    found = find(copying("Memcpy HtoD (Pinned -> Device)", until=800, kernel_from=800).evidence())
    assert found.share == pytest.approx(0.20) and found.confidence == "high"
    assert found.evidence[0].values["exposed_share"] == pytest.approx(0.80)
    assert "the copies alone take 80 % of the step" in found.evidence[1].text


def test_copies_of_two_directions_can_run_side_by_side():
    program = copying("Memcpy HtoD (Pinned -> Device)", until=400, kernel_from=800)
    for base in program.starts():
        program.work(base + 400, base + 800, "Memcpy DtoH (Device -> Pinned)", kind=Kind.COPY, bytes=3_000_000)
    assert find(program.evidence()).share == pytest.approx(0.60)


def test_a_copy_inside_the_device_is_work_like_any_other():
    assert find(copying("Memcpy DtoD (Device -> Device)").evidence()) is None


def test_hidden_copies_are_silent():
    assert find(copying("Memcpy DtoH (Device -> Pinned)", kernel_from=0).evidence()) is None


def test_pageable_ones_are_promised_by_the_rule_about_them():
    evidence = copying("Memcpy HtoD (Pageable -> Device)").evidence()
    found = {one.rule: one for one in diagnose(evidence).findings}
    assert found["pageable_copies"].share == pytest.approx(0.25)
    assert "copies_not_overlapped" not in found  # nothing of it is left


def test_of_long_copies_too():
    evidence = copying("Memcpy HtoD (Pageable -> Device)", until=800, kernel_from=800).evidence()
    assert "pageable_copies" in (rules := {one.rule for one in diagnose(evidence).findings})
    assert "copies_not_overlapped" not in rules


def test_without_a_gpu_it_abstains():
    assert isinstance(find(Program().evidence()), Abstained)
