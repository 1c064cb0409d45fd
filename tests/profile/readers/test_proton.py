"""Trees of Proton, written after Triton's documentation: Proton records nothing without a GPU."""

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT
from perfproof.profile.readers.proton import launched, read, recognises


def node(name, metrics=None, *children):
    return {"children": list(children), "frame": {"name": name, "type": "function"}, "metrics": metrics or {}}


KERNEL = {"count": 4, "device_id": "1", "device_type": "CUDA", "time (ns)": 8192, "flops16": 1e9, "bytes": 4096}
DEVICES = {"CUDA": {"1": {"arch": "90", "num_sms": 132, "clock_rate": 1980000, "memory_clock_rate": 3201000}}}
TREE = [node("ROOT", {}, node("layer", {"util": 0.5}, node("matmul_kernel", KERNEL)), node("empty")), DEVICES]


def test_every_measured_node_is_a_total_with_its_path(write):
    events = read(write(TREE))
    scope, kernel = events.totals
    assert (scope.path, scope.values, scope.device) == (("layer",), {"util": 0.5}, ABSENT)
    assert kernel.path == ("layer", "matmul_kernel") and kernel.device == 1
    assert kernel.values == {"count": 4, "time_ns": 8192, "flops16": 1e9, "bytes": 4096}
    assert events.about["devices"] == DEVICES and len(events) == 0
    assert "no times" in events.unknown["timeline"]


def test_the_root_is_no_scope_and_a_scope_without_launches_is_no_kernel(write):
    nothing = {"count": 0, "time (ns)": 0}  # as Proton 3.6 writes it of its root and of scopes
    events = read(write([node("ROOT", nothing, node("layer", nothing, node("rmsnorm_row", KERNEL)))]))
    assert [total.path for total in events.totals] == [("layer",), ("layer", "rmsnorm_row")]
    assert [total.path[-1] for total in launched(events)] == ["rmsnorm_row"]
    only_root = read(write([node("ROOT", nothing)]))
    assert only_root.totals == [] and only_root.warnings == ["the tree holds no measured scope"]


def test_a_kernel_of_the_programs_may_be_called_root(write):
    (total,) = read(write([node("ROOT", {}, node("ROOT", KERNEL))])).totals
    assert total.path == ("ROOT",)


def test_a_tree_deeper_than_pythons_stack_but_not_than_jsons_is_read(write):
    tree = node("leaf", {"count": 1})
    for _ in range(300):
        tree = node("scope", {}, tree)
    (total,) = read(write([tree])).totals
    assert len(total.path) == 301


def test_nodes_that_are_none_are_left_out_and_said(write):
    events = read(
        write([node("scope", {"count": 1}, 5, {"frame": 7}, node("k", {"time (ns)": "long", "count": True}))])
    )
    assert [total.path for total in events.totals] == [("scope",)]
    assert events.warnings == ["2 nodes of the tree could not be read and were left out"]


@pytest.mark.parametrize("content", ["", "[", "{}", "[]", "[1]", '[{"children": []}]', "[" * 100_000, '[{"frame": '])
def test_what_is_no_tree_is_refused(write, content):
    with pytest.raises(DocumentError):
        read(write(content, "p.hatchet"))


def test_it_is_recognised_by_its_frames():
    assert recognises(Path("x"), json.dumps(TREE).encode()) and not recognises(Path("x"), b'[{"ph": "X"}]')


ANY = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.sampled_from(["frame", "metrics", "children"]), one),
)


@settings(max_examples=150, deadline=None)
@given(ANY)
def test_no_json_crashes_the_reader(content):
    with tempfile.NamedTemporaryFile("w") as file, contextlib.suppress(DocumentError):
        file.write(json.dumps([{"frame": {"name": "ROOT"}, "children": [content], "metrics": content}]))
        file.flush()
        read(Path(file.name))
