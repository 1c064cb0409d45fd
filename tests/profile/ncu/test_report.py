"""Report files, through a stand-in for NVIDIA's package."""

import sys
from types import SimpleNamespace

import pytest

from perfproof.core.errors import DocumentError
from perfproof.profile.ncu.report import read_file


class Action(dict):
    """A kernel of a report: metrics by name."""

    def name(self):
        return "rmsnorm_row"

    def metric_names(self):
        return list(self)


def metric(value, unit=""):
    return SimpleNamespace(value=lambda: value, unit=lambda: unit)


ACTION = Action(
    {
        "gpu__time_duration.sum": metric(70720, "ns"),
        "dram__bytes.sum": metric(270532608, "byte"),
        "device__attribute_compute_capability_major": metric(9),
        "device__attribute_compute_capability_minor": metric(0),
        "device__attribute_display_name": metric("NVIDIA H200"),
        "launch__grid_size": metric(16384),
        "lts__t_bytes.sum": metric(None, "byte"),
    }
)


@pytest.fixture
def report(tmp_path, monkeypatch):
    """A file, and a package that answers with what is in `report.answer`."""
    path = tmp_path / "a.ncu-rep"
    path.write_bytes(b"NVR\0")
    fake = SimpleNamespace(path=path, answer=[[ACTION]])

    def load_report(name):
        assert name == str(path)
        if isinstance(fake.answer, Exception):
            raise fake.answer
        return fake.answer

    monkeypatch.setitem(sys.modules, "ncu_report", SimpleNamespace(load_report=load_report))
    return fake


def test_a_report_gives_the_same_readings_as_the_page(report):
    (kernel,) = read_file(report.path).kernels
    assert (kernel.name, kernel.capability, kernel.grid) == ("rmsnorm_row", "9.0", "16384 blocks")
    assert kernel.get("gpu__time_duration.sum", "time").value == pytest.approx(70.72e-6)
    assert kernel.get("dram__bytes.sum", "byte").value == 270532608
    assert kernel.get("lts__t_bytes.sum", "byte").why == "not a number"


@pytest.mark.parametrize("answer", [None, [], [[]], RuntimeError("bad magic\nmore"), ValueError(""), [[object()]]])
def test_a_file_the_package_cannot_read_is_one_line_with_the_other_way(report, answer):
    report.answer = answer
    with pytest.raises(DocumentError, match=r"ncu-report cannot read it.*--page raw --csv"):
        read_file(report.path)


def test_without_the_package_the_line_says_how_to_get_it_or_do_without(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    with pytest.raises(DocumentError, match=r"pip install ncu-report.*ncu -i a.ncu-rep --page raw --csv"):
        read_file(tmp_path / "a.ncu-rep")


def test_a_file_that_is_not_there_is_said(report, tmp_path):
    with pytest.raises(DocumentError, match="no such file"):
        read_file(tmp_path / "b.ncu-rep")
