"""The pictures of a whole run: drawn from its document and folder, left out where there is nothing to draw."""

import gzip
import json

from perfproof.core.documents import Light
from perfproof.report.html.pictures import roofline_figure, sweep_figure, telemetry_figure
from tests.report.sample_runs import judged, run, side, target

HEADER = {
    "clock": "c",
    "start_ns": 10**9,
    "started": "2025-01-01T00:00:00Z",
    "hz": 20.0,
    "groups": [
        {"source": "host", "columns": [{"name": "load_1m", "kind": "gauge"}]},
        {"source": "gpu0", "columns": [{"name": "sm_mhz", "kind": "gauge", "unit": "MHz"}]},
    ],
}


def swept(axes, names, **fields):
    targets = [target(name, **fields) for name in names]
    return run(*targets, options={"sweep": {"target": "ch01:x", "axes": axes}})


def write_telemetry(folder, lines, name="telemetry.jsonl.gz"):
    (folder / name).write_bytes(gzip.compress("".join(json.dumps(one) + "\n" for one in lines).encode()))


def test_a_sweep_along_one_axis_is_a_line_with_every_interval():
    figure = sweep_figure(swept({"n": [8, 64]}, ["x[n=8]", "x[n=64]"]))
    assert figure.head == "Sweep over n" and figure.svg.count('class="trend line0"') == 1
    assert "n 8: 3.21x, n 64: 3.21x" in figure.svg and "reach line0" in figure.svg


def test_a_sweep_along_two_axes_is_a_grid_of_ratios_and_verdicts():
    figure = sweep_figure(swept({"n": [8, 64], "dtype": ["f", "d"]}, list("abcd")))
    assert figure.svg.count("cell-good") == 4 and "8, f: 3.21x [3.18, 3.24] faster" in figure.svg


def test_a_point_without_a_ratio_is_said_and_not_drawn():
    document = swept({"n": [8, 64]}, ["a", "b"])
    document.targets[1] = target("b", status="crashed")
    assert "without a ratio: 1 point." in sweep_figure(document).caption


def test_what_is_no_sweep_or_does_not_fit_its_axes_has_no_picture():
    assert sweep_figure(run(target())) is None
    assert sweep_figure(swept({"n": [8]}, ["a", "b", "c"])) is None
    assert sweep_figure(run(target("a", status="crashed"), options={"sweep": {"axes": {"n": [1]}}})) is None


def lit(bound, share, flops=4e9, moved=1e9):
    return side(
        light=Light(bound=bound, ceiling=f"{bound}/x", share=share, flops_per_second=flops, bytes_per_second=moved)
    )


def test_the_roofs_of_a_roofline_come_from_the_shares_of_the_document():
    sides = {"baseline": lit("memory", 0.25), "optimized": lit("compute", 0.5, flops=8e9)}
    figure = roofline_figure(run(target(variants=sides)))
    assert "memory/x, 4 GB/s" in figure.svg and "compute/x, 16 GFLOP/s" in figure.svg
    assert "4 operations per byte, 4 GFLOP/s" in figure.svg and "1 ch01:batched_gemm" in figure.caption


def test_without_ceilings_there_is_no_roofline():
    assert roofline_figure(run(target())) is None
    assert roofline_figure(run(target(variants={"baseline": lit("", None), "optimized": lit("", None)}))) is None


def test_telemetry_is_drawn_over_the_run_with_the_stretch_of_every_target(tmp_path):
    rows = [[group, 1_000_000 * second, 1.0 + second] for second in range(10) for group in (0, 1)]
    write_telemetry(tmp_path, [HEADER, *rows])
    figure, why = telemetry_figure(run(target(), telemetry="telemetry.jsonl.gz"), tmp_path)
    assert not why and "load of the last minute: from 1 to 10" in figure.svg and "gpu0: SM clock" in figure.svg
    assert figure.svg.count('class="strip"') == 2 and figure.svg.count('class="band"') == 1


def test_telemetry_that_is_not_there_or_damaged_is_said(tmp_path):
    document = run(target(), telemetry="telemetry.jsonl.gz")
    assert "not in the run's folder" in telemetry_figure(document, tmp_path)[1]
    write_telemetry(tmp_path, ["no header"])
    figure, why = telemetry_figure(document, tmp_path)
    assert figure is None and "not telemetry" in why and str(tmp_path) not in why


def test_telemetry_outside_the_folder_is_not_opened(tmp_path):
    inside = tmp_path / "run"
    inside.mkdir()
    write_telemetry(tmp_path, [HEADER, [0, 0, 1.0], [0, 9, 1.0]])
    for name in ("../telemetry.jsonl.gz", str(tmp_path / "telemetry.jsonl.gz"), "unknown: no sampler"):
        assert telemetry_figure(run(target(), telemetry=name), inside)[0] is None
    assert telemetry_figure(run(target()), inside) == (None, "")


def test_a_claim_without_an_interval_can_be_swept():
    figure = sweep_figure(swept({"n": [1, 2]}, ["a", "b"], ratio=judged("same", 1.0, None, None)))
    assert "1.000x" in figure.svg
