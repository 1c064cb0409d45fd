"""Two bundles side by side: what decides comes first, noise of a moment last or not at all."""

import pytest

from perfproof.triage.diff import diff, distance, weight_of

GPU = {"index": 0, "name": "NVIDIA H200", "pcie_width": 16, "temperature_celsius": 40}


def software(torch):
    return {"versions": {"torch": torch}, "packages": {"pip": torch}, "variables": {}}


def test_equal_bundles_do_not_differ(make_bundle):
    one = make_bundle(gpu={"gpus": [GPU]}, software=software("2.8"))
    assert diff(one, one) == []


def test_what_decides_comes_before_what_may_matter(make_bundle):
    a = make_bundle(gpu={"gpus": [GPU]}, software=software("2.8"), host={"kernel": "6.1"})
    slow = {**GPU, "pcie_width": 8, "temperature_celsius": 80}
    b = make_bundle(gpu={"gpus": [slow]}, software=software("2.9"), host={"kernel": "6.8"})
    found = [(one.weight, one.what, one.a, one.b) for one in diff(a, b)]
    assert found == [
        ("decides", "software.versions.torch", "2.8", "2.9"),
        ("decides", "gpu.gpus.0.pcie_width", "16", "8"),
        ("matters", "host.kernel", "6.1", "6.8"),
        ("may matter", "software.packages.pip", "2.8", "2.9"),
        ("moment", "gpu.gpus.0.temperature_celsius", "40", "80"),
    ]


def test_a_small_change_of_a_moment_is_no_difference(make_bundle):
    a, b = (make_bundle(gpu={"gpus": [{**GPU, "temperature_celsius": degrees}]}) for degrees in (40, 44))
    assert diff(a, b) == []


def test_a_variable_that_only_one_side_sets_is_found(make_bundle):
    a = make_bundle(software={"variables": {}})
    b = make_bundle(software={"variables": {"NCCL_ALGO": "Ring"}})
    assert [(one.what, one.a, one.b) for one in diff(a, b)] == [("software.variables.NCCL_ALGO", "–", "Ring")]


def test_a_document_that_only_one_side_has_is_one_line(make_bundle):
    found = diff(make_bundle(cpu={"cpu": {"model": "x", "smt": True}}), make_bundle())
    assert [(one.what, one.a, one.b) for one in found] == [("cpu.json", "recorded", "–")]


def test_the_runs_are_compared_by_their_median(make_bundle):
    a, b = make_bundle(walls=(1.0, 1.1, 9.0)), make_bundle(walls=(2.2, 2.2, 2.2))
    found = {one.what: (one.a, one.b) for one in diff(a, b)}
    assert found["timing.wall"] == ("1.1", "2.2")


@pytest.mark.parametrize(
    ("a", "b", "size"), [(1, 1, 0), (0, 0.0, 0), (1, 2, 0.5), ("x", "y", 1), (True, False, 1), (None, 3, 1)]
)
def test_distance(a, b, size):
    assert distance(a, b) == size


def test_every_name_has_a_weight():
    assert weight_of("anything.at.all") == "may matter"
