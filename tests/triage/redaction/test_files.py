"""Files of each kind come out redacted with every number as it was; what cannot be looked through stays behind."""

import gzip
import json
import re
import sqlite3
from pathlib import Path

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.files import redact_file

TESTS = Path(__file__).parents[2]
FIXTURES = sorted(
    path
    for folder in ("profile/recorded", "profile/readers/recorded", "profile/written")
    for path in (TESTS / folder).iterdir()
    if path.suffix in (".csv", ".txt", ".json")
)
KEY = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"


def redacted(source, redactor=None, kind=None):
    """The outcome, and the text that was written."""
    target = source.with_name(f"clean_{source.name}")
    outcome = redact_file(redactor or Redactor(b"key"), source, target, kind)
    assert outcome.done, outcome.why
    data = target.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_no_number_and_no_name_of_a_fixture_is_lost(path, tmp_path):
    (tmp_path / path.name).write_bytes(path.read_bytes())
    assert redacted(tmp_path / path.name) == path.read_text()


def test_a_column_of_host_names_is_redacted_wherever_the_host_stands(tmp_path):
    text = (TESTS / "profile/recorded/h200_three_kernels.csv").read_text().replace("127.0.0.1", "trainer07")
    (tmp_path / "ncu.csv").write_text("==PROF== on trainer07\n" + text)
    done = redacted(tmp_path / "ncu.csv")
    assert "trainer07" not in done
    assert re.sub(r"host-\w{10}", "trainer07", done) == "==PROF== on trainer07\n" + text


def test_a_trace_that_says_at_its_end_whose_it_is(tmp_path):
    events = [
        {"ph": "X", "name": "aten::add", "ts": 1.5, "dur": 2e-07, "args": {"path": f"/scratch/trainer07/{at}"}}
        for at in range(3)
    ]
    trace = {"traceEvents": events, "hostname": "trainer07", "username": "annb", "env": {"HF_TOKEN": KEY, "RANK": "0"}}
    (tmp_path / "trace.json.gz").write_bytes(gzip.compress(json.dumps(trace).encode()))
    done = redacted(tmp_path / "trace.json.gz")
    assert not [private for private in ("trainer07", "annb", KEY) if private in done]
    assert '"dur": 2e-07' in done and json.loads(done)["env"]["RANK"] == "0"


def test_json_that_is_cut_off_is_redacted_all_the_same(tmp_path):
    (tmp_path / "cut.json").write_text('{"a": [1, 2.50, {"x": "' + KEY + '"}, "and ' + KEY)
    done = redacted(tmp_path / "cut.json")
    assert KEY not in done and done.startswith('{"a": [1, 2.50, {"x": ')


def test_a_text_that_lies_across_two_pieces_is_seen_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("perfproof.triage.redaction.files.PIECE", 7)
    (tmp_path / "small.json").write_text(
        json.dumps({"é": "ü" * 9, "k": f"x {KEY}", "n": [1, 22, 333]}, ensure_ascii=False)
    )
    done = redacted(tmp_path / "small.json")
    assert KEY not in done and json.loads(done)["n"] == [1, 22, 333] and json.loads(done)["é"] == "ü" * 9


def test_a_command_and_a_serial_number_in_json(tmp_path):
    (tmp_path / "run.json").write_text('{"argv": ["serve", "--token", "open sesame"], "serial": 1321021036045, "n": 7}')
    done = redacted(tmp_path / "run.json")
    assert "sesame" not in done and "1321021036045" not in done and '"n": 7' in done


def nsys(path):
    with sqlite3.connect(path) as database:
        database.executescript(
            """CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
            INSERT INTO StringIds VALUES (1, 'void gemm<128>(float*)'), (2, 'my output, secretly'), (3, 'on trainer07');
            CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER);
            INSERT INTO ProcessStreams VALUES (5, 1, 2);
            CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);
            INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'trainer07'), ('CpuCores', '96');
            CREATE TABLE TARGET_INFO_GPU (name TEXT, uuid BLOB, smCount INTEGER);
            INSERT INTO TARGET_INFO_GPU VALUES ('NVIDIA H200', x'00112233445566778899aabbccddeeff', 132);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER, demangledName INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 1);
            CREATE VIEW v AS SELECT * FROM StringIds;
            CREATE TABLE gone (value TEXT); INSERT INTO gone VALUES ('deleted-but-on-a-page'); DELETE FROM gone;"""
        )
    database.close()


def test_the_database_of_a_profiler_keeps_kernels_and_loses_the_rest(tmp_path):
    nsys(tmp_path / "report.sqlite")
    outcome = redact_file(Redactor(b"key"), tmp_path / "report.sqlite", tmp_path / "clean.sqlite")
    assert outcome.done, outcome.why
    raw = (tmp_path / "clean.sqlite").read_bytes()
    private = (b"trainer07", b"secretly", b"deleted-but-on-a-page", bytes.fromhex("00112233445566778899aabb"))
    assert [one for one in private if one in raw] == []
    with sqlite3.connect(tmp_path / "clean.sqlite") as database:
        assert database.execute("SELECT value FROM StringIds WHERE id = 1").fetchone() == ("void gemm<128>(float*)",)
        assert database.execute("SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall() == [(10, 20, 1)]
        assert database.execute("SELECT * FROM TARGET_INFO_SYSTEM_ENV").fetchall() == [("CpuCores", "96")]
        assert database.execute("SELECT smCount FROM TARGET_INFO_GPU").fetchone() == (132,)
    database.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clean.sqlite", "report.sqlite"]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.nsys-rep", b"anything", "cannot be scrubbed"),
        ("a.ncu-rep", b"anything", "cannot be scrubbed"),
        ("memory.pickle", b"\x80\x04N.", "cannot be scrubbed"),
        ("a.txt", b"text\0and more" * 100, "binary data"),
        ("a.sqlite", b"no database at all, only text" * 40, "not a database"),
        ("a.txt.gz", b"\x1f\x8bbroken", "left out"),
        ("a.json", b'{"a": "' + b"\0" * 100 + b'"}', "binary data"),
        ("missing.txt", None, "No such file"),
    ],
)
def test_what_cannot_be_looked_through_is_left_out(name, content, why, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    outcome = redact_file(Redactor(b"key"), tmp_path / name, tmp_path / "clean")
    assert not outcome.done and why in outcome.why and outcome.why.endswith("left out")
    assert not (tmp_path / "clean").exists()


def test_an_unknown_kind_is_left_out(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    assert not redact_file(Redactor(b"key"), tmp_path / "a.txt", tmp_path / "clean", kind="parquet").done


def test_utf_16_is_read_as_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(f"key {KEY}".encode("utf-16"))
    assert redacted(tmp_path / "a.txt") == "key [hidden-huggingface-token]"


def test_compressed_files_come_out_the_same_twice(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"step 1"))
    for name in ("one.gz", "two.gz"):
        assert redact_file(Redactor(b"key"), tmp_path / "a.txt.gz", tmp_path / name).done
    one, two = (tmp_path / "one.gz").read_bytes(), (tmp_path / "two.gz").read_bytes()
    assert one.replace(b"one", b"two") == two


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.csv"])
def test_one_nul_byte_does_not_drop_a_log(name, tmp_path):
    (tmp_path / name).write_bytes(b'{"step": 1, "said": "before\0after", "db_password": "open-sesame-7"}\n')
    assert redact_file(Redactor(b"key"), tmp_path / name, tmp_path / "clean").done
    done = (tmp_path / "clean").read_bytes()
    assert b"before" in done and b"after" in done and b"sesame" not in done and b"\0" not in done


def test_columns_of_a_table_are_hidden_by_their_heads(tmp_path):
    text = "host;user;pw;steps\nbox;ann;tulip;100\nnest;bob;rosen;200\n"
    (tmp_path / "a.csv").write_text(text)
    assert redact_file(Redactor(b"key"), tmp_path / "a.csv", tmp_path / "b.csv").done
    done = (tmp_path / "b.csv").read_text()
    assert not [word for word in ("box", "ann", "tulip", "nest", "bob", "rosen") if word in done]
    assert done.startswith("host;user;pw;steps\n") and ";100\n" in done


def test_the_lines_of_a_notebooks_cell_are_looked_at_together(tmp_path):
    cell = {"cell_type": "code", "source": ["password = (\n", "    'open-sesame-7'\n", ")\n", "x = torch.ones(3)"]}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4}))
    assert redact_file(Redactor(b"key"), tmp_path / "a.ipynb", tmp_path / "b.ipynb").done
    done = json.loads((tmp_path / "b.ipynb").read_text())
    assert "sesame" not in str(done) and "torch.ones(3)" in str(done) and done["nbformat"] == 4
