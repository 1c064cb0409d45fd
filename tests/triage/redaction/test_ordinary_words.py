"""A word of a manual is no login, and a login is no word of a manual."""

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.ordinary_words import is_ordinary, is_used_as_a_word


@pytest.mark.parametrize("word", ["multiple", "condition", "counts", "kernel_creator", "importer", "ADDRESS"])
def test_words_of_a_manual_are_ordinary(word):
    assert is_ordinary(word)


@pytest.mark.parametrize("login", ["hkowalski", "jdupont", "node17", "alice", "s.hartmann"])
def test_logins_hosts_and_names_are_not(login):
    assert not is_ordinary(login)


def test_a_word_that_the_text_uses_as_a_noun_is_none_of_a_person():
    assert is_used_as_a_word("zorbing", "the zorbing of rows; each zorbing costs")
    assert not is_used_as_a_word("zorbing", "job of zorbing, started 10:01")


def test_source_code_keeps_its_identifiers():
    code = (
        "class Pattern:\n    users: Multiple | int = 1\n    # multiple users of a node\n    node_name = origin.name\n"
    )
    assert Redactor(b"key").text(code) == code


def test_a_login_behind_the_same_label_is_hidden():
    assert "hkowalski" not in Redactor(b"key").text("users: hkowalski\n")
