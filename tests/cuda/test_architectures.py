import pytest

from perfproof.cuda.architectures import admitted, of_capability, parse, runs_on
from perfproof.cuda.errors import CudaError


@pytest.mark.parametrize(
    ("needs", "architectures"),
    [
        ({}, ("sm_90a", "sm_100a")),
        ({"cuda": 8.0}, ("sm_90a", "sm_100a")),
        ({"cuda": 9.0}, ("sm_90a", "sm_100a")),
        ({"cuda": 10.0}, ("sm_100a",)),
        ({"cuda": 12.0}, ("sm_120a",)),
        ({"sm": "90a", "cuda": 8.0}, ("sm_90a",)),
        ({"sm": "80"}, ("sm_80",)),
        ({"gpus": 2}, ("sm_90a", "sm_100a")),
    ],
)
def test_a_source_is_compiled_for_what_its_pairs_needs_admit(needs, architectures):
    assert admitted(needs) == architectures


@pytest.mark.parametrize(
    ("architecture", "capability", "runs"),
    [
        ("sm_90a", (9, 0), True),
        ("sm_90a", (10, 0), False),
        ("sm_100a", (10, 3), False),
        ("sm_100f", (10, 3), True),
        ("sm_80", (8, 9), True),
        ("sm_89", (8, 0), False),
        ("sm_80", (9, 0), False),
    ],
)
def test_where_a_binary_runs(architecture, capability, runs):
    assert runs_on(architecture, capability) is runs


def test_a_device_gets_everything_it_can_do():
    assert [of_capability(c) for c in ((8, 0), (9, 0), (10, 3), (12, 0))] == ["sm_80", "sm_90a", "sm_103a", "sm_120a"]


def test_an_architecture_is_written_in_two_ways_and_no_other():
    assert parse("90a") == parse("sm_90a") == "sm_90a"
    for wrong in ("", "9", "sm_", "90b", "compute_90", "90 a"):
        with pytest.raises(CudaError):
            parse(wrong)
