"""What goes into an archive and what stays out of it: too large, or too late."""

import time

import pytest

from perfproof.triage import copying, session
from perfproof.triage.opening import open_bundle
from perfproof.triage.packing import pack
from perfproof.triage.session import TriageOptions


@pytest.fixture
def made(tmp_path):
    options = TriageOptions(output_root=tmp_path / "out", max_bytes=1000, redact=False)
    return session.begin(options, lambda line: None)


def test_a_file_beyond_the_limit_is_left_out_by_name(made):
    made.write("raw/trace.json", "x" * 100_000)
    made.write("raw/small.txt", "small")
    packed = pack(made)
    assert packed.manifest.left_out == {"raw/trace.json": "larger than --max-size: 100000 bytes"}
    assert {file.path for file in packed.manifest.files} == {"raw/small.txt", "report.md", "report.html"}
    assert "raw/trace.json" in (packed.folder / "report.md").read_text()


def test_when_time_is_up_the_documents_are_still_packed(made, monkeypatch):
    made.save("host", {"kernel": "Linux"})
    made.write("raw/small.txt", "small")
    made.began = time.monotonic() - 10_000
    monkeypatch.setattr(copying, "PACK_SECONDS", -1.0)
    packed = pack(made)
    assert packed.manifest.left_out == {"raw/small.txt": "there was no time left to redact it"}
    assert open_bundle(packed.archive).document("host") == {"kernel": "Linux"}


def test_a_bundle_is_never_larger_than_what_can_be_opened(made, monkeypatch):
    monkeypatch.setattr(copying, "MOST_BYTES", copying.MOST_DOCUMENT_BYTES + 7)
    made.write("raw/a.txt", "four")
    made.write("raw/b.txt", "fives")
    assert list(pack(made).manifest.left_out) == ["raw/b.txt"]


def test_records_of_steps_and_links_stay_behind(made, tmp_path):
    made.write("steps/identity.json", "{}")
    (tmp_path / "secret").write_text("secret")
    (made.folder / "raw").mkdir()
    (made.folder / "raw" / "link").symlink_to(tmp_path / "secret")
    assert {file.path for file in pack(made).manifest.files} == {"report.md", "report.html"}
