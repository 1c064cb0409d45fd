"""Two hundred secrets of more than twenty kinds, wherever a bundle has room for them: none survives."""

import csv
import gzip
import io
import json
import sqlite3
import tarfile

import pytest

from perfproof.triage.redaction import Redactor, scan_archive
from perfproof.triage.redaction.files import redact_file
from tests.triage.redaction.planted import core, planted

SECRETS = [secret for secrets in planted().values() for secret in secrets]
PLACES = ("environment", "arguments", "trace", "name", "output", "table", "database")


def write_sources(folder):
    """Each secret in one place, by turns."""
    by_place = {place: SECRETS[at :: len(PLACES)] for at, place in enumerate(PLACES)}
    environment = {f"MY_VALUE_{at}": secret for at, secret in enumerate(by_place["environment"])}
    environment |= {"NCCL_DEBUG": "INFO", "CUDA_VISIBLE_DEVICES": "0,1"}
    events = [{"name": "kernel", "ts": at, "args": {"stack": f"f({one})"}} for at, one in enumerate(by_place["trace"])]
    (folder / "trace.json.gz").write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    (folder / "output.txt").write_text("\n".join(f"step {at}: {one}" for at, one in enumerate(by_place["output"])))
    with (folder / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["Kernel Name", "note"], *(["add", one] for one in by_place["table"])])
    with sqlite3.connect(folder / "nsys.sqlite") as database:
        database.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        database.executemany("INSERT INTO StringIds (value) VALUES (?)", [(one,) for one in by_place["database"]])
    database.close()
    for at, one in enumerate(by_place["name"]):
        (folder / f"log{at}_{one.replace('/', '_')}.txt").write_text("nothing")
    return environment, by_place["arguments"]


def pack(redactor, folder, environment, arguments, archive):
    """As a bundle is packed: everything through the redactor."""
    clean = folder / "clean"
    clean.mkdir()
    (clean / "run.json").write_text(json.dumps({"env": redactor.environment(environment)}))
    (clean / "argv.json").write_text(json.dumps(redactor.arguments(["python", "train.py", *arguments])))
    for source in sorted(path for path in folder.iterdir() if path.is_file()):
        outcome = redact_file(redactor, source, clean / redactor.name(source.name))
        assert outcome.done, (source.name, outcome.why)
    with tarfile.open(archive, "w:gz") as file:
        for path in sorted(clean.iterdir()):
            file.addfile(header(path), io.BytesIO(path.read_bytes()))


def header(path):
    info = tarfile.TarInfo(path.name)
    info.size = path.stat().st_size
    return info


def unpacked(archive) -> bytes:
    found = b""
    with tarfile.open(archive) as file:
        for info in file:
            data = file.extractfile(info).read()
            found += info.name.encode() + data + (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else b"")
    return found


def test_there_are_two_hundred_of_twenty_kinds():
    assert len(SECRETS) >= 200 and len(planted()) >= 20 and len(set(SECRETS)) == len(SECRETS)


def test_none_of_them_survives_in_the_archive(tmp_path):
    sources, archive = tmp_path / "sources", tmp_path / "bundle.tgz"
    sources.mkdir()
    environment, arguments = write_sources(sources)
    redactor = Redactor(b"key")
    pack(redactor, sources, environment, arguments, archive)
    content = unpacked(archive)
    assert [secret for secret in SECRETS if core(secret).encode() in content] == []
    assert b"NCCL_DEBUG" in content and b"CUDA_VISIBLE_DEVICES" in content
    assert scan_archive(archive, redactor.known) == []
    assert scan_archive(archive, [core(secret) for secret in SECRETS]) == []


@pytest.mark.parametrize("kind", sorted(planted()))
def test_one_that_slips_past_is_reported_and_not_repeated(kind, tmp_path):
    secret = planted()[kind][0]
    (tmp_path / "log.txt").write_text(f"before\n{secret}\nafter")
    leaks = scan_archive(tmp_path / "log.txt", [])
    assert leaks, kind
    assert core(secret) not in repr(leaks)


@pytest.mark.parametrize("kind", sorted(planted()))
def test_one_of_each_kind_is_hidden_in_the_midst_of_a_line(kind):
    for secret in planted()[kind]:
        done = Redactor(b"key").text(f"loss 0.25 {secret} at step 7")
        assert core(secret) not in done
        assert done.startswith("loss 0.25 ") and done.endswith(" at step 7")
