"""A reader sees the old content or the new, and nothing is left lying about."""

import os

import pytest

from perfproof.core import atomic


def test_new_content_replaces_the_old(tmp_path):
    path = tmp_path / "run.json"
    atomic.write_atomic(path, "old")
    atomic.write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_text_is_written_as_utf_8(tmp_path):
    atomic.write_atomic(tmp_path / "a", "45 µs")
    assert (tmp_path / "a").read_bytes() == "45 µs".encode()


def test_a_failed_write_leaves_the_old_file_and_no_temporary_one(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    atomic.write_atomic(path, "old")

    def refuse(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        atomic.write_atomic(path, "new")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_the_content_is_on_the_disk_before_the_name_points_to_it(tmp_path, monkeypatch):
    order = []
    real_sync, real_replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (order.append("sync"), real_sync(fd))[1])
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append("replace"), real_replace(a, b))[1])
    atomic.write_atomic(tmp_path / "run.json", "x")
    assert order[:2] == ["sync", "replace"]
