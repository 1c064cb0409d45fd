"""Dropping pages leaves the file as it is."""

from perfproof.measure.pages import drop_pages


def test_the_content_stays(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"x" * 100_000)
    drop_pages([str(path)])
    assert path.read_bytes() == b"x" * 100_000
