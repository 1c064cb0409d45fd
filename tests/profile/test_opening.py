"""Opening profiles, plain and packed."""

import gzip

import pytest

from perfproof.core.errors import DocumentError
from perfproof.profile.opening import opened, read_bytes, read_json, read_text


def test_a_packed_file_is_unpacked_whatever_its_name(tmp_path):
    path = tmp_path / "profile.json"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf{"a": "tab\there"}'))
    assert read_text(path) == '{"a": "tab\there"}'
    assert read_json(path) == {"a": "tab\there"}


def test_a_packed_file_that_grows_beyond_the_limit_is_refused(tmp_path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"0" * 5_000_000))
    with pytest.raises(DocumentError, match="larger than 1 MiB"):
        read_bytes(path, limit=2**20)


@pytest.mark.parametrize("keep", [5, 20, -1])
def test_a_packed_file_that_was_cut_off_is_refused(tmp_path, keep):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(bytes(range(256)) * 50)[:keep])
    with pytest.raises(DocumentError, match="the gzip file is damaged or cut off"):
        read_bytes(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DocumentError, match="cannot be read: No such file"), opened(tmp_path / "none"):
        pass


@pytest.mark.parametrize(("text", "why"), [("{", "not valid JSON"), ("[" * 100_000, "nested too deeply")])
def test_what_is_no_json_is_refused(tmp_path, text, why):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(DocumentError, match=why):
        read_json(path)
