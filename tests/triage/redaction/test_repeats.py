"""A long text is searched without lines that repeat earlier ones; nothing is missed by that."""

import pytest

from perfproof.triage.redaction import Redactor, repeats
from perfproof.triage.redaction.identities import find_identities
from perfproof.triage.redaction.redactor import secrets_in
from tests.triage.redaction.corpus.generate import formats

LINE = "step=%d loss=0.%03d lr=1.0e-04\n"


def a_log(lines=2000):
    return "".join(LINE % (n, n % 1000) for n in range(lines))


def looked_at(text):
    seen = []
    repeats.search_long(text, lambda part: seen.append(part) or [])
    return "".join(seen)


def test_a_log_that_repeats_itself_is_mostly_left_out():
    assert len(looked_at(a_log())) < len(a_log()) / 100


def test_a_log_of_new_words_is_searched_as_it_is():
    text = "".join(
        f"{'abcdefghij'[n % 10]}{n:x} {chr(97 + n // 26 % 26)}{chr(97 + n % 26)}{'xy' * (n // 99)}\n"
        for n in range(999)
    )
    assert looked_at(text) == text


@pytest.mark.parametrize("half", [0, 1])
def test_the_same_is_found_in_a_text_and_in_the_text_twice(half, monkeypatch):
    for document in formats(half):
        twice = document.text + "\n" * 5 + document.text
        whole = secrets_in(twice), sorted(set(find_identities(twice)))
        monkeypatch.setattr(repeats, "LONG", 0)
        monkeypatch.setattr(repeats, "MOST_KEPT", 1.0)
        assert (secrets_in(twice), sorted(set(repeats.search_long(twice, find_identities)))) == whole
        monkeypatch.undo()


def test_every_repeat_of_a_line_with_a_secret_is_hidden():
    text = a_log() + "".join(f"login {n} with password=kranich{n}!\n" + LINE % (n, n) for n in range(1000, 1300))
    done = Redactor(b"key").text(text)
    assert "kranich" not in done and done.count("hidden") == 300 and done.startswith(LINE % (0, 0))


def test_an_address_behind_a_loopback_of_the_same_form_is_hidden():
    text = a_log() + "peer 127.0.0.1 is up\n" + a_log() + "peer 131.5.7.9 is up\n"
    done = Redactor(b"key").text(text)
    assert "127.0.0.1" in done and "131.5.7.9" not in done


def test_a_value_below_its_name_is_found_although_the_line_was_seen_elsewhere():
    text = a_log() + "marble7171x\n" + a_log() + "db_password:\nmarble9393x\n" + a_log()
    assert "marble9393x" not in Redactor(b"key").text(text)


def test_rows_of_a_long_table_are_all_hidden(monkeypatch):
    monkeypatch.setattr(repeats, "LONG", 0)
    rows = "".join(f"{n} gpu train kova{n} R 1:02 2 lxmars{n}\n" for n in range(1000, 1100))
    done = Redactor(b"key").text("JOBID PARTITION NAME USER ST TIME NODES NODELIST\n" + rows)
    assert "kova1" not in done and "lxmars" not in done
