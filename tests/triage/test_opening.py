"""A bundle from elsewhere is read without trusting it: hostile archives are refused, and nothing is unpacked."""

import gzip
import io
import json
import os
import pickle
import tarfile
from pathlib import Path

import pytest

from perfproof.core.errors import DocumentError
from perfproof.triage import opening
from perfproof.triage.opening import find_bundle, open_bundle
from perfproof.triage.packing import write_archive


def archive(path, *members):
    """Members are TarInfo with bytes."""
    with tarfile.open(path, "w:gz") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def member(name, kind=tarfile.REGTYPE, link=""):
    found = tarfile.TarInfo(name)
    found.type, found.linkname = kind, link
    return found


@pytest.fixture
def manifest(make_bundle):
    return make_bundle().manifest.model_dump_json().encode()


def test_a_packed_bundle_and_its_folder_read_alike(write_bundle, tmp_path):
    folder = write_bundle("triage-a", walls=(1.0, 2.0), host={"kernel": "Linux"})
    write_archive(folder, tmp_path / "a.tgz")
    assert open_bundle(folder) == open_bundle(tmp_path / "a.tgz")
    assert open_bundle(folder).document("host") == {"kernel": "Linux"}
    assert open_bundle(folder).document("absent") == {}


def test_the_same_files_give_the_same_bytes(write_bundle, tmp_path):
    folder = write_bundle("triage-a", walls=(1.0,))
    write_archive(folder, tmp_path / "a.tgz")
    for file in folder.rglob("*.json"):
        file.touch()
        file.chmod(0o600)
    write_archive(folder, tmp_path / "b.tgz")
    assert (tmp_path / "a.tgz").read_bytes() == (tmp_path / "b.tgz").read_bytes()


@pytest.mark.parametrize(
    "hostile",
    [
        member("triage/../../etc/passwd"),
        member("/etc/passwd"),
        member("manifest.json"),
        member("triage/link", tarfile.SYMTYPE, "/etc/passwd"),
        member("triage/hard", tarfile.LNKTYPE, "triage/manifest.json"),
        member("triage/device", tarfile.CHRTYPE),
        member("triage/pipe", tarfile.FIFOTYPE),
        member("triage/manifest.json"),
    ],
    ids=lambda one: f"{one.name}-{one.type!r}",
)
def test_an_archive_with_a_member_that_is_no_plain_file_of_its_own_is_refused(hostile, manifest, tmp_path):
    path = archive(tmp_path / "x.tgz", (member("triage/manifest.json"), manifest), (hostile, b""))
    with pytest.raises(DocumentError, match="refused"):
        open_bundle(path)
    assert [one.name for one in tmp_path.iterdir()] == ["x.tgz"]


def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused(manifest, tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "MOST_BYTES", 1 << 20)
    large = (member("triage/raw/zeros"), bytes(4 << 20))
    path = archive(tmp_path / "bomb.tgz", large, (member("triage/manifest.json"), manifest))
    assert path.stat().st_size < 50_000
    with pytest.raises(DocumentError, match="unpacks to more than 1 MiB"):
        open_bundle(path)


def test_an_archive_with_too_many_members_is_refused(manifest, tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "MOST_MEMBERS", 3)
    many = [(member(f"triage/raw/{at}"), b"") for at in range(5)]
    with pytest.raises(DocumentError, match="too many"):
        open_bundle(archive(tmp_path / "x.tgz", (member("triage/manifest.json"), manifest), *many))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no archive",
        gzip.compress(b"no tar"),
        gzip.compress(b"x" * 2000)[:-9],
        pickle.dumps({"a": 1}),
        b"\x1f\x8b",
    ],
)
def test_what_is_no_bundle_is_refused_in_one_line(data, tmp_path):
    path = tmp_path / "x.tgz"
    path.write_bytes(data)
    with pytest.raises(DocumentError) as refused:
        open_bundle(path)
    assert "\n" not in str(refused.value) and str(path) in str(refused.value)


@pytest.mark.parametrize("text", ["[]", "{}", '{"schema_version": "1"}', "[" * 100_000, '{"schema_version": 1}', "nul"])
def test_a_damaged_manifest_is_refused(text, tmp_path):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DocumentError):
        open_bundle(tmp_path)


def test_a_newer_bundle_is_refused_by_name(manifest, tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({**json.loads(manifest), "schema_version": 99}))
    with pytest.raises(DocumentError, match="newer perfproof: schema version 99"):
        open_bundle(tmp_path)


def test_a_bundle_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DocumentError, match="no such bundle"):
        open_bundle(tmp_path / "none.tgz")


def test_latest_and_previous_are_the_newest_bundles_of_the_default_folder(tmp_path):
    for age, name in ((100, "triage-a.tgz"), (50, "triage-b.tgz")):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (10_000 - age, 10_000 - age))
    assert find_bundle(Path("latest"), tmp_path).name == "triage-b.tgz"
    assert find_bundle(Path("previous"), tmp_path).name == "triage-a.tgz"
    assert find_bundle(Path("x.tgz"), tmp_path) == Path("x.tgz")
    with pytest.raises(DocumentError, match="0 bundle"):
        find_bundle(Path("latest"), tmp_path / "none")
