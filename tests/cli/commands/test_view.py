"""`perfproof view`: every kind of file becomes a page, an export or JSON; what cannot be read is one line."""

import json
import pickle
import re
import shlex
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

import pytest

from perfproof.core.events import Kind
from perfproof.profile.reading import read
from tests.report.page_reader import Page

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "tests" / "profile" / "recorded_torch"
SNAPSHOT = {
    "segments": [
        {"device": 0, "total_size": 4096, "blocks": [
            {"size": 1024, "requested_size": 1000, "state": "active_allocated"},
            {"size": 1024, "requested_size": 0, "state": "inactive"},
            {"size": 2048, "requested_size": 0, "state": "inactive"},
        ]}
    ],
    "device_traces": [[
        {"action": "alloc", "addr": 1, "size": 1024, "stream": 0, "time_us": 5, "frames": [
            {"name": "forward", "filename": "model.py", "line": 7}]},
        {"action": "snapshot", "addr": 0, "size": 0, "stream": 0, "time_us": 9, "frames": []},
    ]],
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    """The files of the documentation, under its names."""
    shutil.copy(RECORDED / "memory_trace.json.gz", tmp_path / "trace.json.gz")
    shutil.copy(RECORDED / "py_spy.txt", tmp_path / "stacks.txt")
    shutil.copy(RECORDED / "torch_trace.log", tmp_path / "compile.log")
    (tmp_path / "memory.pickle").write_bytes(pickle.dumps(SNAPSHOT))
    return tmp_path


@pytest.mark.parametrize(
    ("file", "page", "headings"),
    [
        ("trace.json.gz", "trace.html", ["One step", "Modules", "Memory, cpu", "Flame graph", "Readings"]),
        ("stacks.txt", "stacks.html", ["Flame graph"]),
        ("memory.pickle", "memory.html", ["Memory, gpu0", "Readings"]),
        ("compile.log", "compile.html", ["Compiler"]),
    ],
)
def test_a_file_becomes_a_page_with_what_it_holds(perfproof, files, file, page, headings):
    shown = perfproof("view", file)
    assert (shown.code, shown.out, shown.err) == (0, f"{page}\n", "")
    found = [one.text for one in Page((files / page).read_text()).find("h2")]
    assert [heading for heading in found if heading != "What this file does not tell"] == headings


def test_a_profile_of_a_program_has_its_name_and_both_flame_graphs(perfproof, files):
    folder = files / "artifacts" / "profiles" / "20260101T000000Z-train-00000a"
    folder.mkdir(parents=True)
    shutil.move(files / "trace.json.gz", folder / "command.trace.json.gz")
    shutil.move(files / "stacks.txt", folder / "command.stacks.txt")
    names = ["command.trace.json.gz", "command.stacks.txt"]
    (folder / "profile.json").write_text(json.dumps({"captures": [{"main_files": names}]}))
    shown = perfproof("view", "latest")
    assert (shown.out, shown.err) == ("train.profile.html\n", "")
    page = Page((files / "train.profile.html").read_text())
    flames = [one.text for one in page.find("h2") if one.text.startswith("Flame")]
    assert flames == ["Flame graph", "Flame graph of the program's lines"]
    (folder / "command.stacks.txt").write_text("cut off")
    assert perfproof("view", "latest").code == 0


def test_the_exports_can_be_read_again(perfproof, files):
    assert perfproof("view", "stacks.txt", "--speedscope", "s.json").out == "s.json\n"
    assert sum(total.values["samples"] for total in read(files / "s.json").totals) > 0
    assert perfproof("view", "trace.json.gz", "--chrome-trace", "m.json").out == "m.json\n"
    back = read(files / "m.json")
    assert "cpu live.bytes" in back.series and len(back.where(Kind.RANGE)) == 4
    assert not list(files.glob("*.html"))


def test_json_tells_the_numbers_and_writes_no_page(perfproof, files):
    shown = json.loads(perfproof("view", "memory.pickle", "--json").out)
    (memory,) = shown["memory"]
    assert (memory["peak_bytes"], memory["reserved_bytes"], memory["rounding_bytes"]) == (1024, 4096, 24)
    assert memory["fragmentation"] == pytest.approx(1 / 3)
    assert memory["holders"] == [{"stack": ["forward (model.py:7)"], "bytes": 1024, "count": 1}]
    assert shown["written"] == [] and not list(files.glob("*.html"))


def test_json_of_a_compiler_log(perfproof, files):
    shown = json.loads(perfproof("view", "compile.log", "--json", "-o", "x.html").out)
    assert len(shown["compiler"]["events"]) == 7 and shown["compiler"]["compiled"] == 11
    assert shown["written"] == ["x.html"] and (files / "x.html").is_file()


def test_the_page_can_be_printed(perfproof, files):
    assert perfproof("view", "stacks.txt", "--output", "-").out.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["missing.json"], 2, "there is no such file"),
        (["empty"], 2, "is empty"),
        (["noise"], 2, "no profile that can be read here"),
        (["compile.log", "--speedscope", "s.json"], 5, "has no stacks"),
        (["stacks.txt", "--chrome-trace", "m.json"], 5, "has no memory history"),
        (["stacks.txt", "-o", "nowhere/x.html"], 2, "cannot write nowhere/x.html"),
        (["evil.pickle"], 2, "nothing of it was run"),
    ],
)
def test_what_cannot_be_shown_is_one_line(perfproof, files, arguments, code, said):
    (files / "empty").touch()
    (files / "noise").write_bytes(b"neither this nor that\x00\xff" * 20)
    (files / "evil.pickle").write_bytes(pickle.dumps(print))
    shown = perfproof("view", *arguments)
    assert shown.code == code and not shown.out
    assert shown.err.count("\n") == 1 and said in shown.err


def test_the_commands_of_the_page_about_it_work(perfproof, files):
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs" / "view.md").read_text(), re.MULTILINE | re.DOTALL)
    commands = [shlex.split(line) for block in blocks for line in block.splitlines()]
    assert len(commands) == 5
    for program, *arguments in commands:
        shown = perfproof(*arguments)
        assert program == "perfproof" and shown.code == 0 and shown.out, arguments


def test_nothing_heavy_is_loaded(files):
    code = (
        "import sys\nfrom perfproof.cli.app import main\nassert main(['view', 'stacks.txt', '-o', '-']) == 0\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'scipy', 'matplotlib')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=files, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_json_has_the_headings_facts_and_tables_of_the_page(perfproof, files):
    page = perfproof("view", "trace.json.gz", "-o", "-").out
    shown = json.loads(perfproof("view", "trace.json.gz", "--json").out)["page"]
    assert [one["heading"] for one in shown] == ["One step", "Modules", "Memory, cpu", "Flame graph", "Readings"]
    (operators, *_) = shown[0]["tables"]
    assert operators["rows"] and all(escape(row[0]) in page for row in operators["rows"])
    assert all(name in page for one in shown for name in one["facts"])
