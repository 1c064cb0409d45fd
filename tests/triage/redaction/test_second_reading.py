"""The second reading: what it adds to the rules, what it lets stand, and that it never stops a bundle."""

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.piece_features import WIDTH, cut
from perfproof.triage.redaction.second_reading import CHUNK, Reader, shipped
from tests.triage.redaction.corpus.whole_files import HELD_OUT, files_in


@pytest.fixture(scope="module")
def reader():
    found = shipped()
    assert found is not None, "the weights are part of the package"
    return found


@pytest.fixture(scope="module")
def counted(reader):
    """Of files that nothing was learned from: items that are left and lines that changed, by the rules and by both."""
    counts = {}
    for name, second in (("rules", None), ("both", reader)):
        left = changed = 0
        for file in files_in(HELD_OUT):
            done = Redactor(b"k" * 32, second=second).text(file.text)
            left += sum(file.text[start:end] in done for start, end, _ in file.marks)
            lines = set(done.split("\n"))
            changed += sum(line not in lines for line in file.lines_without_marks())
        counts[name] = left, changed
    return counts


def test_it_hides_more_than_the_rules_alone_and_spoils_hardly_more(counted):
    (left_by_rules, changed_by_rules), (left, changed) = counted["rules"], counted["both"]
    assert left < 0.85 * left_by_rules and changed <= changed_by_rules + 15  # of 1,029 lines


def test_it_takes_false_finds_of_rules_back(reader):
    text = "first\n| owner | study_name | best_value |\n| sweep-bot | pass-count-ablation | 2.31 |\n"
    assert "sweep-bot" not in Redactor(b"key").text(text), "a rule takes a robot for a person"
    assert "sweep-bot" in Redactor(b"key", second=reader).text(text)


@pytest.mark.parametrize(
    "line",
    [
        "loss 2.318 after step 400, 18,204 tokens per second, grad norm 0.71",
        "import torch.nn.functional as F",
        "    return self.key_cache[layer][:, :, : self.seen]",
        "Downloading torch-2.11.0-cp312-cp312-manylinux_2_28_x86_64.whl (899.7 MB)",
        "| 0  NVIDIA H200  On | 00000000:18:00.0 Off | 0 |",
        "INFO 11-18 10:02:11 scheduler.py:311] Running: 12 reqs, Waiting: 0 reqs, GPU KV cache usage: 4.1%",
    ],
)
def test_what_programs_write_stays(reader, line):
    text = f"first line\n{line}\nlast line\n"
    assert Redactor(b"key", second=reader).text(text) == text


def test_a_login_in_a_path_is_hidden_whatever_the_second_reading_says(reader, monkeypatch):
    monkeypatch.setattr(Reader, "doubts", lambda *_: True)
    monkeypatch.setattr(Reader, "finds", lambda *_: iter(()))
    done = Redactor(b"key", second=reader).text("loading\n/home/kschreiber/run/train.log\n")
    assert "kschreiber" not in done, "the search of the finished archive would find it"


def test_a_key_of_a_vendor_is_never_doubted(reader):
    text = "the token of the docs is ghp_" + "aB3" * 12 + "\nnext\n"
    assert "aB3aB3" not in Redactor(b"key", second=reader).text(text)


def test_a_secret_of_several_lines_does_not_hide_what_stands_below_from_it(reader):
    body = "\n".join(["MIIEowIBAAKCAQEA" + "x1Yz" * 12] * 4)
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"
    below = "Gracias, Baltasar (grupo de astropartículas)\n"
    alone = Redactor(b"key", second=reader).text("nota\n" + below)
    assert "Baltasar" not in alone
    assert "Baltasar" not in Redactor(b"key", second=reader).text("nota\n" + block + below)


def test_a_long_text_is_read_in_parts_and_every_part_is_read(reader):
    lines = ["step 1 of 9: nothing to see"] * (2 * CHUNK // 28) + ["Gracias, Baltasar (grupo de astropartículas)", ""]
    assert "Baltasar" not in Redactor(b"key", second=reader).text("\n".join(lines))


def test_the_two_i_of_turkish_are_found_again_in_any_case():
    done = Redactor(b"key").text("name: Rukiye Yıldırım\nuser: yildirim\nYILDIRIM\nYıldırım\n")
    assert "ldir" not in done.lower() and "ldır" not in done.lower()


@pytest.mark.parametrize("text", ["", "\n\n", " \t ", "\x00\x01", "\ud800", "字" * 50, "a" * 5000])
def test_any_text_can_be_cut(text):
    pieces = cut(text)
    assert pieces.columns.shape == (len(pieces.starts), WIDTH)
    assert all(text[start:end].strip() for start, end in zip(pieces.starts, pieces.ends, strict=True))


def test_without_its_weights_there_is_no_reader(monkeypatch, tmp_path):
    monkeypatch.setattr("perfproof.triage.redaction.second_reading.FILE", tmp_path / "none.npz")
    shipped.cache_clear()
    assert shipped() is None
    shipped.cache_clear()


def test_a_find_names_its_place(reader):
    text = "hello\nGracias, Baltasar (grupo)\n"
    finds = [text[one.start : one.end] for one in Reader(reader.weights).finds(text)]
    assert "Baltasar" in finds
