"""The last door: a value is found however it is packed and encoded, and what cannot be opened counts as a leak."""

import base64
import gzip
import io
import json
import sqlite3
import tarfile
import zipfile
from urllib.parse import quote

import pytest

from perfproof.triage.redaction import Redactor, redact_file, scan_archive
from perfproof.triage.redaction.unpacking import Limits

VALUE = "rose/bud 7741 garden"


def tgz(path, content):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def zipped(content) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def database(text) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a TEXT)")
    connection.execute("INSERT INTO t VALUES (?)", ("x" * 4070 + " " + text + " " + "y" * 9000,))
    connection.commit()
    return connection.serialize()


PLAIN = f"before {VALUE} after".encode()
HIDDEN_IN = {
    "plain": PLAIN,
    "capitals": PLAIN.upper(),
    "gzip": gzip.compress(PLAIN),
    "zip": zipped({"inner.txt": PLAIN}),
    "gzip in zip": zipped({"inner.gz": gzip.compress(PLAIN)}),
    "base64": base64.b64encode(b"a" + PLAIN),
    "base64, shifted": base64.b64encode(b"ab" + PLAIN),
    "base64, at its start": base64.b64encode(VALUE.encode()),
    "URL-encoded": quote(VALUE, safe="").encode(),
    "UTF-16": PLAIN.decode().encode("utf-16"),
    "UTF-16 without a mark": PLAIN.decode().encode("utf-16-le"),
    "hexadecimal": PLAIN.hex().encode(),
    "among binary data": b"\0\1\2\xff" * 2000 + PLAIN,
    "a database": database(VALUE),
}


@pytest.mark.parametrize("how", HIDDEN_IN)
def test_a_known_value_is_found_however_it_is_packed(how, tmp_path):
    leaks = scan_archive(tgz(tmp_path / "b.tgz", {"good.txt": b"step 1", "bad": HIDDEN_IN[how]}), [VALUE])
    assert [leak for leak in leaks if "bad" in leak.member]
    assert not [leak for leak in leaks if "good" in leak.member]
    assert "rose" not in repr(leaks)


def test_a_clean_archive_has_no_leaks(tmp_path):
    content = {"a.txt": b"step 1, 12.5 ms, host-3f2a9c01b7 [hidden-aws-key]", "b.gz": gzip.compress(b"kernel add")}
    assert scan_archive(tgz(tmp_path / "b.tgz", content), [VALUE, "node17"]) == []


def test_a_value_in_a_name_is_found_and_not_repeated(tmp_path):
    leaks = scan_archive(tgz(tmp_path / "b.tgz", {"raw/node17-rack4.txt": b"step"}), ["node17-rack4"])
    assert [leak.form for leak in leaks if "in its name" in leak.form]
    assert "node17" not in str(leaks[0])


def test_the_owner_in_the_header_of_a_tar_is_found(tmp_path):
    with tarfile.open(tmp_path / "b.tar", "w") as archive:
        info = tarfile.TarInfo("a.txt")
        info.uname = "annabel"
        archive.addfile(info, io.BytesIO(b""))
    assert scan_archive(tmp_path / "b.tar", ["annabel"])


def test_addresses_and_uuids_are_found_by_their_form(tmp_path):
    (tmp_path / "a.txt").write_text("10.1.2.3 GPU-4f3c2a10-1111-2222-3333-444455556666 /home/annb/x")
    assert {leak.kind for leak in scan_archive(tmp_path / "a.txt", [])} == {"address", "uuid", "user"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (gzip.compress(PLAIN)[:-9], "cannot be opened"),
        (zipped({"a": PLAIN})[:-30], "cannot be opened"),
        (b"\x28\xb5\x2f\xfd" + b"0" * 20, "zstd"),
        (b"SQLite format 3\0" + b"\1" * 200, "cannot be opened"),
    ],
)
def test_what_cannot_be_opened_counts_as_a_leak(data, why, tmp_path):
    leaks = scan_archive(tgz(tmp_path / "b.tgz", {"odd": data}), [])
    assert [leak for leak in leaks if leak.kind == "not looked through" and why in leak.why]


def test_an_archive_that_is_not_there_counts_as_a_leak(tmp_path):
    assert scan_archive(tmp_path / "none.tgz", [])


def test_limits_fail_closed(tmp_path):
    bomb = tgz(tmp_path / "b.tgz", {"zeros": gzip.compress(b"0" * 300_000)})
    assert "too large" in scan_archive(bomb, [], Limits(member=200_000))[0].why
    assert "too large" in scan_archive(bomb, [], Limits(total=300_000))[-1].why
    nested = PLAIN
    for _ in range(8):
        nested = gzip.compress(nested)
    (tmp_path / "deep.gz").write_bytes(nested)
    assert "too deep" in scan_archive(tmp_path / "deep.gz", [])[-1].why


def test_a_short_name_is_looked_for_as_a_word(tmp_path):
    (tmp_path / "a.txt").write_text("annotate planning")
    assert scan_archive(tmp_path / "a.txt", ["ann"]) == []
    (tmp_path / "a.txt").write_text("by ann")
    assert scan_archive(tmp_path / "a.txt", ["ann"])


def test_the_trace_of_a_profiler_is_no_leak(tmp_path):
    """Its events have names of capitalised words, and numbers beside keys that are labels elsewhere."""
    events = [
        {
            "ph": "X",
            "name": name,
            "pid": 4711,
            "tid": 4711,
            "ts": 123456789.5,
            "args": {"External id": 12345678, "call": 7},
        }
        for name in ("Record Window End", "PyTorch Profiler", "Memory Pool Trim", "Command Buffer Full")
    ]
    raw = tmp_path / "a.trace.json"
    raw.write_text(json.dumps({"traceEvents": events}, indent=1))
    done = tmp_path / "b.trace.json"
    redactor = Redactor(b"key")
    assert redact_file(redactor, raw, done).done
    assert json.loads(done.read_text()) == {"traceEvents": events}
    assert scan_archive(tgz(tmp_path / "c.tgz", {"b.trace.json": done.read_bytes()}), redactor.known) == []
