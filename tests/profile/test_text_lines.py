"""Lines of a text, plain or packed, within their limits."""

import gzip

import pytest

from perfproof.core.errors import DocumentError
from perfproof.profile.text_lines import lines_of


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_lines_come_without_their_end(tmp_path, pack):
    path = tmp_path / "text"
    path.write_bytes(pack(b"one \r\n\ntw\xff\nlast"))
    assert list(lines_of(path)) == ["one ", "", "tw\ufffd", "last"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_line_without_end_is_refused_in_one_line_with_its_number(tmp_path, pack):
    path = tmp_path / "text"
    path.write_bytes(pack(b"a\n" + b"0" * 3 * 2**20))
    with pytest.raises(DocumentError, match=r"text, line 2: longer than 1 MiB: .*\Z"):
        list(lines_of(path, longest=2**20))
    assert len(list(lines_of(path))) == 2


def test_a_line_is_never_held_beyond_its_limit(tmp_path, monkeypatch):
    """Of a packed line without end, no more is unpacked than what shows that it is too long."""
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(b"0" * 20 * 2**20))
    asked = []
    plain = gzip.GzipFile.readline
    monkeypatch.setattr(gzip.GzipFile, "readline", lambda file, size=-1: asked.append(size) or plain(file, size))
    with pytest.raises(DocumentError, match="longer than 1 MiB"):
        list(lines_of(path, longest=2**20))
    assert asked == [2**20 + 1]


def test_a_text_that_grows_beyond_its_limit_is_refused(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(b"short\n" * 400_000))
    with pytest.raises(DocumentError, match="text: larger than 1 MiB; record for a shorter time"):
        list(lines_of(path, largest=2**20))


def test_lines_up_to_the_limit_are_read(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"123\n567\n")
    assert list(lines_of(path, largest=8, longest=4)) == ["123", "567"]
