import ast
import os
from pathlib import Path

import pytest

from perfproof.core.errors import ContractError
from perfproof.pairs import source
from perfproof.pairs.contract import read_pair
from perfproof.pairs.source import is_text, shown


def test_bytes_that_are_not_utf8_are_refused_with_their_line(refused, valid):
    assert refused(valid.encode() + b"\nNAME = '\xff'\n") == ":36: is not UTF-8 text; save it as UTF-8"


def test_null_bytes_are_refused(refused, valid):
    assert "has null bytes" in refused(valid.encode() + b"\0")


def test_a_byte_order_mark_is_fine(accepted, valid):
    assert accepted(b"\xef\xbb\xbf" + valid.encode()).lesson == "Add in one call."


def test_windows_line_ends_are_fine(accepted, valid):
    pair = accepted(valid.replace("\n", "\r\n"))
    assert pair.explanation == "Why it works."


def test_a_syntax_error_is_one_line_with_its_place(refused, valid):
    assert refused(valid + "def broken(:\n").startswith(":35: not Python: ")


def test_an_unknown_encoding_is_refused(refused, valid):
    assert "not Python" in refused("# -*- coding: no-such-code -*-\n" + valid)


@pytest.mark.parametrize(
    "text",
    [
        "-" * 100_000 + "1",
        "(" * 5_000,
        "x" + ".a" * 50_000,
        "x = " + "1+" * 60_000 + "1",
        "not " * 20_000 + "1",
        "9" * 5_000,
    ],
    ids=["minus", "brackets", "dots", "sums", "nots", "digits"],
)
def test_what_would_break_the_parser_is_refused(refused, text):
    assert "deeply" in (message := refused(text)) or "not Python" in message


def test_a_huge_file_is_not_parsed(refused, valid):
    assert "larger than 256 KiB" in refused(valid + "#" * source.MOST_BYTES)


def test_a_folder_is_not_a_pair(tmp_path):
    with pytest.raises(ContractError, match="is not a file; name a Python file"):
        read_pair(tmp_path, "x", "x")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ContractError, match="is not a file"):
        read_pair(tmp_path / "none.py", "x", "x")


def test_a_device_that_never_ends_is_not_read():
    with pytest.raises(ContractError, match="is not a file"):
        read_pair(source.Path("/dev/zero"), "x", "x")


def test_a_file_that_cannot_be_opened_is_refused(tmp_path, monkeypatch):
    def denied(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "pair.py").write_text("")
    monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(ContractError, match=r"pair\.py: cannot be read: Permission denied"):
        read_pair(tmp_path / "pair.py", "x", "x")


def test_paths_are_shown_from_the_current_folder_and_on_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shown(tmp_path / "a" / "pair.py") == os.path.join("a", "pair.py")
    assert shown(tmp_path / "two\nlines.py") == "two\\nlines.py"
    assert shown(source.Path("/elsewhere/pair.py")) == "/elsewhere/pair.py"


def test_half_a_surrogate_pair_is_not_text():
    assert is_text("9× – fine")
    assert not is_text("broken \ud800")


def test_the_hash_of_the_code_is_blind_to_the_opening_words_and_to_nothing_else(accepted, valid):
    first = accepted(valid)
    told_anew = accepted(valid.replace("Why it works.", "Why it works, in more\nwords than before."))
    assert told_anew.code_sha256 == first.code_sha256 and told_anew.source_sha256 != first.source_sha256
    for changed in (valid + "# a comment\n", valid.replace("tier = ", "tier  = ")):
        assert changed != valid
        assert accepted(changed).code_sha256 != first.code_sha256


def test_code_on_the_line_of_the_opening_words_is_not_hidden_by_them(tmp_path):
    digests = set()
    for number in (1, 2):
        path = tmp_path / "one_line.py"
        path.write_text(f'"""Words."""; NUMBER = {number}\n')
        digests.add(source.read_source(path).code_sha256)
    assert len(digests) == 2


def test_all_nodes_are_found_in_the_order_of_ast_walk():
    tree = ast.parse(Path(__file__).read_text())
    assert source.nodes(tree) == tuple(ast.walk(tree))
