"""What jobs and tools really print goes through unharmed and is not refused; a secret among it is still caught."""

import base64
import html
import json
import struct
import zlib
from pathlib import Path

import pytest

from perfproof.triage.redaction import Redactor, scan_archive
from perfproof.triage.redaction.files import redact_file

SAID = sorted((Path(__file__).parent / "said").iterdir())
KEY = "hf_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(length: int) -> str:
    noise = zlib.compress(bytes(at * at % 251 for at in range(length)))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"0" * 13) + chunk(b"IDAT", noise) + chunk(b"IEND", b"")
    return base64.encodebytes(png).decode()


QUOTED = 'say "no" to x@w.T & y@torch.mm, token: "x"'
WRITTEN = {
    "source in JSON": ("a.json", json.dumps({"source": "import torch\n@torch.compile\ndef f():\n\t@triton.jit\n"})),
    "an answer in JSON": ("b.json", json.dumps({"why": "password: required\nWARNING: token: none\ttab"})),
    "a page": ("c.html", f"<!DOCTYPE html><p>{html.escape(QUOTED)}</p>"),
    "JSON that is none": ("d.json", "error: unrecognized arguments: -J\nusage: lscpu [options]\n"),
    "digits": ("e.txt", "\n".join(f"{at * 1.37e5:.6f} {at**5} 0x{at**7:016x}" for at in range(500))),
    **{f"picture {size}": ("p.txt", f"plot:\n{picture(size)}done\n") for size in (3000, 3001, 3002)},
}


def cases():
    yield from (pytest.param(path.name, path.read_text(), id=path.name) for path in SAID)
    yield from (pytest.param(name, text, id=what) for what, (name, text) in WRITTEN.items())


@pytest.mark.parametrize(("name", "text"), list(cases()))
def test_what_is_nobodys_secret_is_neither_changed_nor_refused(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    redactor = Redactor(b"key", hosts=["trainer07"], users=["annabel"])
    outcome = redact_file(redactor, tmp_path / name, tmp_path / f"clean-{name}")
    assert outcome.done, outcome.why
    assert (tmp_path / f"clean-{name}").read_text() == text
    quoted = tmp_path / "quoted.json"
    quoted.write_text(json.dumps({"said": text}))
    assert scan_archive(tmp_path / f"clean-{name}", redactor.known) == []
    assert name.endswith((".json", ".html")) or scan_archive(quoted, redactor.known) == []


@pytest.mark.parametrize("path", SAID, ids=lambda path: path.name)
def test_a_secret_on_every_tenth_line_of_it_is_hidden(path, tmp_path):
    lines = path.read_text().splitlines()
    planted = [f"{line} {KEY}" if at % 10 == 3 else line for at, line in enumerate(lines)]
    (tmp_path / "a.txt").write_text("\n".join(planted))
    assert redact_file(Redactor(b"key"), tmp_path / "a.txt", tmp_path / "b.txt").done
    assert (tmp_path / "b.txt").read_text() == "\n".join(planted).replace(KEY, "[hidden-huggingface-token]")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"said": f"first\n{KEY}\nlast"}),
        json.dumps({"said": "write to\nannabel@trainers.example.org"}),
        json.dumps({"said": json.dumps({"inner": f"first\n{KEY}"})}),
        '{"said": "' + "".join(f"\\u{ord(one):04x}" for one in KEY) + '"}',
        json.dumps([["--token", "open-sesame-7"]]),
        '{"board_serial": 1321021036045}',
        f'[INFO] he said "yes" and {KEY} was it',
        f"<html><p>&quot;{KEY}&quot;</p>",
    ],
)
def test_the_scan_reads_what_is_written_with_escapes(text, tmp_path):
    (tmp_path / "a").write_text(text)
    assert scan_archive(tmp_path / "a")


def test_the_hosts_of_all_ranks_in_a_log_of_nccl_are_hidden():
    text = "trainer07:3251:3251 [0] NCCL INFO Bootstrap : Using eth0:10.1.2.3<0>\nrack-b9:77:80 [1] NCCL INFO ok"
    done = Redactor(b"key").text(text)
    assert not [name for name in ("trainer07", "rack-b9", "10.1.2.3") if name in done]
    assert "NCCL INFO Bootstrap : Using eth0:address-" in done


def test_a_value_is_hidden_where_it_stands_bare_before_its_name_is_said():
    done = Redactor(b"key").text("connecting with hunter2-hunter2\nDB_PASSWORD=hunter2-hunter2\n")
    assert "hunter2" not in done


def test_a_page_of_text_about_tokens_is_left_alone():
    text = "next-token prediction, per-token latency, --stop-token endoftext --max-tokens 131072 --num-token 1310720"
    assert Redactor(b"key").text(text) == text


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("PRAGMA key = 'zephyr_2192';", "zephyr_2192"),
        ("PRAGMA main.rekey='kestrel-77K!'", "kestrel-77K!"),
        ("one-time code 2FA: 938537", "938537"),
        ("MFA: 204811", "204811"),
        ("ldap_bind_pw zephyr!3791zz", "zephyr!3791zz"),
        ("HMAC secret c7ac52d12767104281a806d4c0afc3b36c7c9cbac24b18d7cca31bbf0671558f", "c7ac52d12767104281a806d4"),
        ("srun: error: user kdubois64 not permitted", "kdubois64"),
        ("account jmuller3 has exceeded its quota", "jmuller3"),
        ("getpwnam(jraman6) failed", "jraman6"),
        ("https://wandb.ai/ltanaka68/proj/runs/abc", "ltanaka68"),
        ("conda env at /opt/users/pwei37/miniconda3/envs/x", "pwei37"),
        ("system uuid: 71fa9861-08a9-0ab1-147f-5431d97f50ab", "71fa9861-08a9-0ab1-147f-5431d97f50ab"),
    ],
)
def test_forms_that_once_slipped_through_are_hidden(line, secret):
    assert secret not in Redactor(b"k" * 32).text(f"start\n{line}\nstep 1 loss 2.0\n")


@pytest.mark.parametrize(
    "line",
    [
        "PRAGMA journal_mode = WAL;",
        "password=$DB_PASSWORD run1",
        "client = Client(api_key=None, retries=2)",
        "10.3.0.1 is the version of the toolkit",
        "exit code 2FAST: 938537",
        "error code: 12345",
        "user time not counted",
        "user input is not found in the cache",
        "https://wandb.ai/site/pricing",
        "https://docs.wandb.ai/guides/track",
        "uuid of the run: see manifest",
        "the secret of speed: fuse kernels",
        "block_hash=8f14e45fceea167a5a36dedd4bea2543 ref_count=2",
    ],
)
def test_lines_that_look_like_them_stay(line):
    assert Redactor(b"k" * 32).text(line) == line
