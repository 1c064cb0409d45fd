"""A login is told by the name it is made of, without any label; words that hold a name by chance stay."""

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.logins import logins_of_names


@pytest.mark.parametrize(
    "login",
    ["jhoffmann", "anna.keller", "m.lindqvist", "fernandez_j", "klindgren2", "marialopez", "gustavo-r", "schulze"],
)
def test_a_login_of_a_name_is_found_anywhere(login):
    text = f"sync done, {login} holds the lock"
    assert [text[start:end] for start, end in logins_of_names(text)] == [login]


@pytest.mark.parametrize(
    "word",
    [
        "importer",
        "reporter",
        "roberta-large",
        "adam-mini",
        "lena.py",
        "albert.pt",
        "bert-base",
        "walker",
        "hoffmann-kernel",
    ],
)
def test_models_files_and_words_stay(word):
    text = f"loading {word} for step 3"
    assert Redactor(b"key").text(text) == text
