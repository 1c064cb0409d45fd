"""A document as plain text: decoded, each text with its key once, and nothing of it lost."""

import json

from perfproof.triage.redaction import json_syntax, scan_archive
from perfproof.triage.redaction.json_syntax import BETWEEN, spoken


def test_texts_are_decoded_and_stand_with_their_key():
    assert '"name": "two\nlines"' in spoken(json.dumps({"name": "two\nlines", "n": 1.5e-7}))


def test_what_is_repeated_is_given_once():
    events = [{"ph": "X", "name": "aten::add", "ts": at} for at in range(1000)]
    assert len(spoken(json.dumps(events))) < 300


def test_from_where_it_is_no_json_it_is_given_as_it_stands():
    text = '{"a": "b", oops trainer07 "c'
    assert spoken(text).endswith(' oops trainer07 "c')
    assert "10.1.2.3" in spoken('["a", 10.1.2.3, "b"]')


def test_a_text_longer_than_the_window_is_read_whole(monkeypatch):
    monkeypatch.setattr(json_syntax, "WINDOW", 8)
    assert "x" * 100 in spoken(json.dumps({"k": "x" * 100, "z": "\n"}))
    assert spoken(json.dumps(["a", "b\n", "c"])).count("b\n") == 1


def test_only_what_json_allows_stands_between_texts():
    assert BETWEEN.fullmatch(' : [1, -2.5e-7, true, null, {"'[:-1])
    assert not BETWEEN.fullmatch(" 10.1.2.3 ")
    assert not BETWEEN.fullmatch(" trainer07 ")


def test_a_key_behind_a_key_is_not_its_value(tmp_path):
    """The counts of a manifest: the kinds of what was hidden are its keys."""
    counts = json.dumps(
        {"authorization": 1, "bearer": 2, "named-secret": 3, "mail": 4, "cookie": 1, "x": "y"}, indent=1
    )
    (tmp_path / "manifest.json").write_text(counts)
    assert scan_archive(tmp_path / "manifest.json") == []


def test_of_a_tool_that_takes_a_password_all_words_are_given():
    text = json.dumps([["/bin/mysql", "-h", "dé"], ["-popen"], ["sshpass", "-v", "-p", "opén"]], indent=1)
    assert '"/bin/mysql", "-h", "dé"' in spoken(text)
    assert '"sshpass", "-v", "-p", "opén"' in spoken(text)


def test_the_rest_of_a_document_that_is_cut_off_stands_with_its_key():
    assert spoken('{"n": 1, "db_password": "correct ho').endswith('"db_password": "correct ho'.replace(": ", ":  "))
    assert spoken('["serve", "--token", "open se').endswith('"--token",  "open se')
    assert spoken('{"a": "b", "c').endswith('"c')


def test_an_option_is_given_with_the_word_behind_it():
    assert '"--token", "open sesame"' in spoken('["serve", "--token", "open sesame"]')
