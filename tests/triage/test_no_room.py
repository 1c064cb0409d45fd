"""A disk that is full costs what did not fit, and a bundle only where not even that much fits."""

import errno

import pytest

from perfproof.core.errors import UnfitError
from perfproof.triage import bundle, session
from perfproof.triage.packing import pack
from perfproof.triage.session import TriageOptions


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_did_not_fit_is_named_and_the_rest_is_packed(tmp_path, monkeypatch):
    made = session.begin(TriageOptions(output_root=tmp_path / "out"), lambda line: None)
    made.write("raw/small.txt", "small")
    with monkeypatch.context() as patch:
        patch.setattr(session, "write_atomic", full)
        assert made.write("raw/large.txt", "x" * 1000) == ""
    packed = pack(made)
    assert packed.manifest.left_out == {"raw/large.txt": "No space left on device: 1000 bytes"}
    assert "raw/small.txt" in {file.path for file in packed.manifest.files}


def test_where_not_even_the_archive_fits_nothing_is_left_and_one_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "pack", full)
    with pytest.raises(UnfitError, match=r"--output-root .*No space left on device; make room"):
        bundle.make_bundle(TriageOptions(output_root=tmp_path / "out", only=("none",)), lambda line: None)
    assert list((tmp_path / "out").iterdir()) == []


def test_any_other_fault_of_the_disk_is_not_taken_for_a_full_one(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(bundle, "pack", broken)
    with pytest.raises(OSError, match="Input/output"):
        bundle.make_bundle(TriageOptions(output_root=tmp_path / "out", only=("none",)), lambda line: None)
