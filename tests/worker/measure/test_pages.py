"""Dropping a file's pages changes where its content is read from, never the content."""

import os

import pytest

from perfproof.worker.measure.pages import drop_pages


def test_the_content_is_intact_written_through_or_not(tmp_path):
    paths = [tmp_path / name for name in ("one", "two")]
    content = os.urandom(1 << 16)
    for path in paths:
        with path.open("wb") as file:
            file.write(content)  # still dirty when its pages are dropped
    drop_pages(str(path) for path in paths)
    assert all(path.read_bytes() == content for path in paths)


def test_files_that_change_are_read_as_they_are(tmp_path):
    path = tmp_path / "file"
    for text in (b"before", b"after"):
        path.write_bytes(text)
        drop_pages([str(path)])
        assert path.read_bytes() == text


def test_no_descriptor_is_left_open(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    before = len(os.listdir("/proc/self/fd"))
    drop_pages([str(path)] * 10)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        drop_pages([str(tmp_path / "missing")])
