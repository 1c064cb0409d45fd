"""`perfproof roofline` from end to end: runs, counters, tables; measured, given and data-sheet roofs."""

import json
import shutil
import struct
import sys
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.documents import Run, TargetResult, VariantResult
from perfproof.core.schema import schema_text
from perfproof.history.folders import open_run
from perfproof.machine import ceilings as stored
from perfproof.machine import datasheet
from perfproof.report.browser import find_browser, take_picture
from perfproof.report.roofline.picture import SIZE, picture
from tests.report.sample_rooflines import kernel, roofline

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "tests" / "profile" / "recorded"
EXAMPLES = ROOT / "docs" / "examples"
THREE = RECORDED / "h200_three_kernels.csv"


def some_ceilings(**fields):
    rates = {
        "memory/copy": (4e12, "bytes/s"),
        "gemm/bf16/burst": (800e12, "flop/s"),
        "gemm/fp32/burst": (50e12, "flop/s"),
    }
    found = [Ceiling(name=n, value=v, unit=u, low=v, high=v, repeats=5) for n, (v, u) in rates.items()]
    values = {"perfproof_version": "0", "fingerprint": "f00d", "kind": "nvidia-h200", "device": "cuda:0"}
    return Ceilings(measured="now", ceilings=found, **values | fields)


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("PERFPROOF_STATE", str(tmp_path / "state"))


@pytest.fixture
def given(tmp_path):
    path = tmp_path / "ceilings.json"
    path.write_text(some_ceilings().model_dump_json())
    return ("--ceilings", path)


@pytest.fixture
def saved_run(tmp_path):
    """A run of one pair on a GPU that is not here."""

    def save(cost=None, **machine):
        cost = {"flops": 2.7e8, "bytes": 2.7e8, "baseline_bytes": 2.4e9} if cost is None else cost
        sides = {"baseline": VariantResult(times={"call": 8.7e-4}), "optimized": VariantResult(times={"call": 7.1e-5})}
        target = TargetResult(
            target="ch07:rmsnorm", status="ok", cost=cost, variants=sides, sizes={"dtype": "bfloat16"}, device="cuda:0"
        )
        seen = {
            "kind": "nvidia-h200",
            "fingerprint": "f00d",
            "device": "cuda:0",
            "gpu": 0,
            "gpus": [{"name": "NVIDIA H200"}],
        }
        folder = open_run(tmp_path / "artifacts", "one")
        folder.save(
            Run(perfproof_version="0", run=folder.name, started="now", machine=seen | machine, targets=[target])
        )
        return folder

    return save


def document(done):
    assert done.code == 0, done.err
    found = json.loads(done.out)
    jsonschema.validate(found, json.loads(schema_text("roofline")))
    return found


@pytest.fixture
def browser(tmp_path, monkeypatch):
    """A program named chromium that writes the picture it is asked for."""
    program = tmp_path / "bin" / "chromium"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nfor one; do case $one in --screenshot=*) echo PNG > ${one#*=};; esac; done\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")


def test_the_newest_run_is_placed_under_the_ceilings_of_its_machine(perfproof, saved_run, tmp_path, browser):
    stored.save(some_ceilings())
    saved_run()
    done = perfproof("roofline")
    assert done.code == 0, done.err
    assert "ch07:rmsnorm baseline  model" in done.out and "DRAM" in done.out
    assert "picture: roofline.svg, roofline.png" in done.out
    assert "ch07:rmsnorm" in (tmp_path / "roofline.svg").read_text()
    assert (tmp_path / "roofline.png").read_text() == "PNG\n"


def test_without_a_browser_only_the_svg_is_written_and_a_png_is_refused(perfproof, given, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = perfproof("roofline", THREE, *given, "-o", "x")
    assert done.code == 0 and "no .png" in done.out
    assert (tmp_path / "x.svg").exists() and not (tmp_path / "x.png").exists()
    refused = perfproof("roofline", THREE, *given, "-o", "y.png")
    assert refused.code == 3 and "Chromium" in refused.err and ".svg" in refused.err and refused.err.count("\n") == 1


@pytest.mark.skipif(find_browser() is None, reason="no Chromium, Chrome or Edge")
def test_a_browser_draws_the_whole_picture():
    made = take_picture(picture(roofline(kernel())), SIZE)
    assert made[:4] == b"\x89PNG" and struct.unpack(">II", made[16:24]) == (2560, 1440)


def test_the_points_of_a_run_are_labelled_a_model(perfproof, saved_run, given):
    found = document(perfproof("roofline", saved_run().name, *given, "--json"))
    assert [(one["variant"], one["source"]) for one in found["kernels"]] == [
        ("baseline", "model"),
        ("optimized", "model"),
    ]
    assert found["kernels"][1]["of_roof"] == pytest.approx(2.7e8 / 4e12 / 7.1e-5)
    assert found["kernels"][0]["intensity"]["DRAM"] == pytest.approx(2.7e8 / 2.4e9)


def test_json_prints_the_document_and_no_picture_unless_asked(perfproof, given, tmp_path, browser):
    found = document(perfproof("roofline", THREE, *given, "--json"))
    assert found["schema_version"] == 1 and not list(tmp_path.glob("*.svg"))
    document(perfproof("roofline", THREE, *given, "--json", "-o", "x.png"))
    assert (tmp_path / "x.png").exists() and not (tmp_path / "x.svg").exists()


def test_counters_give_measured_points_and_what_binds(perfproof, given):
    found = document(perfproof("roofline", THREE, *given, "--json"))
    by_label = {one["label"][:8]: one for one in found["kernels"]}
    assert {one["source"] for one in found["kernels"]} == {"counters"}
    assert by_label["rmsnorm_"]["limited_by"] == "DRAM"
    assert by_label["wgmma_m6"]["binding"] == "shared-memory feed"
    feed = next(roof for roof in found["roofs"] if roof["kind"] == "feed")
    assert (feed["name"], feed["basis"]) == ("shared-memory feed", "derived")


def test_blackwell_is_judged_by_tensor_memory(perfproof, tmp_path):
    path = tmp_path / "b200.json"
    path.write_text(some_ceilings(kind="nvidia-b200").model_dump_json())
    found = document(perfproof("roofline", RECORDED / "b200_four_kernels.csv", "--ceilings", path, "--json"))
    assert {one["binding"] for one in found["kernels"]} == {"SM compute", "TMEM", "undetermined", "DRAM"}
    assert any(roof["name"] == "TMEM" and roof["unit"] == "share" for roof in found["roofs"])


def test_a_table_has_a_dual_roofline_under_a_derived_feed(perfproof, given, tmp_path):
    columns = "name,us,flops,bytes,dtype,feed_bytes,capability"
    (tmp_path / "k.csv").write_text(f"{columns}\ngemm,1000,4e11,1e8,bf16,3e10,9.0\n")  # 50 % and 90 % of 33.5 TB/s
    found = document(perfproof("roofline", "k.csv", *given, "--json"))
    assert found["kernels"][0]["binding"] == "shared-memory feed"
    feed = next(roof for roof in found["roofs"] if roof["kind"] == "feed")
    assert (feed["basis"], feed["source"]) == ("derived", "128 bytes/clock x 132 SMs x 1.98 GHz")


def test_ceilings_of_another_generation_are_noticed(perfproof, given):
    found = document(perfproof("roofline", RECORDED / "b200_four_kernels.csv", *given, "--json"))
    assert "counters of compute capability 10.0 under the ceilings of nvidia-h200" in [
        one["text"] for one in found["findings"]
    ]


def test_a_point_above_a_roof_is_a_warning_and_with_strict_a_failure(perfproof, given, tmp_path):
    (tmp_path / "k.csv").write_text("name,us,flops,bytes,dtype\nimpossible,1,1e6,9e9,fp32\n")
    done = perfproof("roofline", "k.csv", *given, "-o", "x.svg")
    assert done.code == 0 and "error: impossible is at 2250.00 times the DRAM roof: a counting error" in done.out
    assert perfproof("roofline", "k.csv", *given, "-o", "x.svg", "--strict").code == 1
    assert perfproof("roofline", THREE, *given, "-o", "x.svg", "--strict").code == 0


def test_the_tolerance_is_a_share(perfproof, given, tmp_path):
    (tmp_path / "k.csv").write_text("name,us,flops,bytes\nk,100,1e6,4.1e8\n")  # 4.1 TB/s under 4.0
    assert perfproof("roofline", "k.csv", *given, "--json", "--strict").code == 0
    assert perfproof("roofline", "k.csv", *given, "--json", "--strict", "--tolerance", "1%").code == 1
    assert perfproof("roofline", "k.csv", *given, "--tolerance", "much").code == 2


def test_a_table_fills_in_what_was_not_counted(perfproof, given, tmp_path):
    (tmp_path / "meta.csv").write_text("name,us,flops,dtype\nwgmma_m64n32,1,137438953472,bf16\n")
    found = document(perfproof("roofline", RECORDED / "h200_missing_metrics.csv", "meta.csv", *given, "--json"))
    joined = next(one for one in found["kernels"] if one["label"] == "wgmma_m64n32")
    assert len(found["kernels"]) == 3
    assert (joined["source"], joined["flops"]) == ("counters+metadata", 137438953472)
    assert joined["seconds"] == pytest.approx(246.912e-6)  # the counted time, not the table's


def test_without_ceilings_the_next_step_is_named(perfproof, saved_run):
    saved_run()
    done = perfproof("roofline")
    assert done.code == 3 and done.err.count("\n") == 1
    assert "run `perfproof peak` first" in done.err and "--ceilings" in done.err and "--sheet" in done.err


@pytest.fixture
def sheets(monkeypatch):
    """A data sheet of one GPU."""
    figures = {"memory_bytes_s": 4.8e12, "flops": {"bf16": 989e12}, "sms": 132, "boost_hz": 1.98e9}
    sheet = SimpleNamespace(source="H200 data sheet", **figures)
    monkeypatch.setattr(datasheet, "find", lambda name: sheet if name == "NVIDIA H200" else None)


def test_the_sheet_of_the_runs_gpu_stands_in_for_ceilings(perfproof, saved_run, sheets):
    saved_run()
    found = document(perfproof("roofline", "--sheet", "--json"))
    assert {(roof["basis"], roof["source"]) for roof in found["roofs"]} == {("sheet", "H200 data sheet")}


def test_a_sheet_needs_a_gpu_that_it_knows(perfproof, sheets, given, monkeypatch):
    monkeypatch.setattr("perfproof.app.roofline.inputs._gpu_here", lambda: None)
    assert "--gpu" in perfproof("roofline", THREE, "--sheet").err
    assert perfproof("roofline", THREE, "--sheet", "--gpu", "NVIDIA H200", "--json").code == 0
    unknown = perfproof("roofline", THREE, "--sheet", "--gpu", "Voodoo").err
    assert "no data sheet of 'Voodoo'" in unknown and "H200" in unknown and "--ceilings FILE" in unknown
    assert perfproof("roofline", THREE, "--sheet", *given).code == 2


def test_a_run_without_declared_bytes_cannot_be_placed(perfproof, saved_run, given):
    saved_run(cost={"predicted_optimized": 2.0})
    done = perfproof("roofline", *given)
    assert done.code == 5 and "declares no bytes" in done.err


def test_a_run_of_another_machine_is_noticed(perfproof, saved_run, given):
    saved_run(kind="nvidia-a100")
    found = document(perfproof("roofline", *given, "--json"))
    assert "the run is of nvidia-a100, the ceilings are of nvidia-h200" in [one["text"] for one in found["findings"]]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((RECORDED / "no_permission.txt",), 2, "NVreg_RestrictProfilingToAdminUsers"),
        (("nowhere.csv",), 2, "nowhere.csv: there is no such file"),
        (("artifacts/nowhere",), 2, "artifacts/nowhere: there is no such file"),
        (("nowhere",), 5, "no runs in"),
        ((THREE, "-o", "x.pdf"), 2, ".svg or .png"),
        ((THREE, "--ceilings", "none.json"), 2, "cannot be read"),
        ((THREE, "--ceilings", THREE), 2, "holds no ceilings"),
        (("--collect-command", "sm_70"), 2, "sm_90 or sm_100"),
    ],
)
def test_a_refusal_is_one_line_with_what_to_do(perfproof, arguments, code, says):
    done = perfproof("roofline", *arguments)
    assert done.code == code and says in done.err and done.err.count("\n") == 1 and not done.out


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "kernel,us,flops\nx,1,2\n"])
def test_a_table_without_the_columns_is_told_which_they_are(perfproof, given, tmp_path, text):
    (tmp_path / "own.csv").write_text(text)
    done = perfproof("roofline", "own.csv", *given)
    assert done.code == 2 and "the columns name, one of seconds, ms, us, ns, and flops, bytes, dtype" in done.err
    assert repr(text.partition("\n")[0]) in done.err and "ID and Kernel Name" in done.err


def test_a_report_file_needs_its_package(perfproof, given, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    (tmp_path / "a.ncu-rep").write_bytes(b"x")
    assert "pip install ncu-report" in perfproof("roofline", "a.ncu-rep", *given).err


@pytest.mark.parametrize("name", ["sm_90", "sm_100"])
def test_the_collect_command_is_printed_with_its_cost(perfproof, name):
    done = perfproof("roofline", "--collect-command", name)
    assert done.code == 0 and "--page raw" in done.out and "gpu__time_duration.sum" in done.out
    assert "runs about" in done.out.splitlines()[0]


@pytest.mark.parametrize("name", sorted(path.name for path in RECORDED.glob("h200_[!d]*.csv")))
def test_every_recorded_page_is_drawn(perfproof, given, name, tmp_path):
    done = perfproof("roofline", RECORDED / name, *given, "-o", "x.svg")
    assert done.code == 0 and (tmp_path / "x.svg").stat().st_size > 5_000


def test_the_pictures_of_the_documentation_are_made_from_the_committed_examples(perfproof, tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    roofs = ("--ceilings", "examples/h200-ceilings.json")
    assert perfproof("roofline", "examples/h200-pairs.csv", *roofs, "-o", "pairs.svg", "--strict").code == 0
    assert perfproof("roofline", "examples/h200-kernels.csv", *roofs, "-o", "dual.svg", "--strict").code == 0
    for made, kept in (("pairs.svg", "roofline-h200-pairs.svg"), ("dual.svg", "roofline-dual.svg")):
        new, old = ((folder / name).read_text() for folder, name in ((tmp_path, made), (ROOT / "docs/pictures", kept)))
        assert texts(new) == texts(old), f"make docs/pictures/{kept} anew: docs/roofline.md says how"


def texts(svg):
    import re

    return sorted(re.findall(r"<text[^>]*>([^<]*)</text>", svg))
