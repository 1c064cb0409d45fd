"""Kernels of which only sums are known."""

import json

from perfproof.core.events import Events, Total
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence, gather
from perfproof.diagnose.sums import Summed, summed_kernels


def table(source, **kernels):
    events = Events(source)
    events.totals = [Total(("scope", name), {"count": n, "time_ns": ns}) for name, (n, ns) in kernels.items()]
    return f"{source}.json", events


def test_launches_of_one_kernel_are_added_up_over_trees_the_longest_first():
    trees = (table("proton", add=(2, 10), gemm=(1, 90)), table("proton", add=(3, 40)))
    assert summed_kernels(Evidence(tables=trees)) == [Summed("gemm", 1, 90), Summed("add", 5, 50)]
    assert Summed("add", 5, 50).mean_ns == 10


def test_scopes_communication_and_other_profilers_do_not_count():
    tables = (table("proton", scope=(0, 0), ncclDevKernel_AllReduce=(4, 9)), table("stacks", add=(1, 1)))
    assert summed_kernels(Evidence(tables=tables)) == []


def test_a_strangers_name_is_made_printable():
    (one,) = summed_kernels(Evidence(tables=(table("proton", **{"a\x1b[31m": (1, 1)}),)))
    assert "\x1b" not in one.name


def test_a_file_of_proton_is_diagnosed_without_a_timeline(tmp_path):
    kernel = {"frame": {"name": "add"}, "metrics": {"count": 400, "time (ns)": 800_000}, "children": []}
    root = {"frame": {"name": "ROOT"}, "metrics": {"count": 0, "time (ns)": 0}, "children": [kernel]}
    path = tmp_path / "small.hatchet"
    path.write_text(json.dumps([root]))
    found = diagnose(gather([path]))
    assert [(one.rule, one.share) for one in found.findings] == [("small_kernels", 1.0)]
    kernel["metrics"]["count"] = 4  # of 200 µs each
    path.write_text(json.dumps([root]))
    found = diagnose(gather([path]))
    assert found.findings == [] and found.silent == ["small_kernels"]
