"""Which fields of two machines differ: every one that decides the fingerprint is named."""

import copy

import pytest

from perfproof.core.environment import changed_fields, environment_fields, in_one_line
from perfproof.machine.snapshot import CPU_DECIDES, fingerprint

MACHINE = {
    "cpu": dict.fromkeys(CPU_DECIDES, 1) | {"virtual_machine": False, "load_average": [1.0]},
    "gpus": [{"name": "H200", "memory_bytes": 1, "mig": None, "power_watts": 90}],
    "driver": "550",
    "software": {"python": "3.11", "torch": "2.13", "torch_cuda": None, "triton": None, "numpy": "2"},
    "memory": {"total_bytes": 8, "available_bytes": 7},
}
PLACES = [
    *(("cpu", name) for name in (*CPU_DECIDES, "virtual_machine")),
    *(("software", name) for name in ("python", "torch", "torch_cuda", "triton", "numpy")),
    ("gpus", "name"),
    ("gpus", "memory_bytes"),
    ("driver", None),
]


@pytest.mark.parametrize(("part", "name"), PLACES)
def test_what_changes_the_fingerprint_is_a_field_that_is_named(part, name):
    other = copy.deepcopy(MACHINE)
    if name is None:
        other[part] = "new"
    else:
        (other[part][0] if part == "gpus" else other[part])[name] = "new"
    assert fingerprint(other) != fingerprint(MACHINE)
    (line,) = changed_fields(environment_fields(MACHINE), environment_fields(other))
    assert line.endswith("-> new")


def test_what_differs_at_any_moment_is_no_field():
    other = copy.deepcopy(MACHINE)
    other["cpu"]["load_average"], other["memory"]["available_bytes"] = [9.0], 1
    assert changed_fields(environment_fields(MACHINE), environment_fields(other)) == []


def test_a_fingerprint_is_named_only_where_nothing_else_is():
    assert changed_fields({"fingerprint": "a"}, {"fingerprint": "b"}) == ["fingerprint: a -> b"]
    assert changed_fields({"fingerprint": "a", "x": "1"}, {"fingerprint": "b"}) == ["x: 1 -> absent"]
    assert environment_fields({}) == {}


def test_many_differences_are_counted():
    assert in_one_line([str(number) for number in range(9)]) == "0; 1; 2; 3; 4; 5 and 3 more"
