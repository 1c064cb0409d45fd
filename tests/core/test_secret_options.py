"""The words of a command: what an option or a tool takes as its secret, and what it does not."""

import pytest

from perfproof.core.secret_options import in_text, in_word, is_option, tool_of


@pytest.mark.parametrize(
    "option", ["--api_key", "--secret-key", "--db-pass", "--requirepass", "-token", "--wandb-key", "-u"]
)
def test_an_option_that_takes_a_secret(option):
    assert is_option(option)


@pytest.mark.parametrize(
    "option", ["--eos-token", "--max-tokens", "--sort-key", "--key", "--tokenizer", "token", "-p", "--"]
)
def test_an_option_that_takes_none(option):
    assert not is_option(option)


@pytest.mark.parametrize(
    ("tool", "before", "word", "secret"),
    [
        ("", "--wandb-key", "anything", "anything"),
        ("", "--password", "123", "123"),
        ("", "-u", "user:hunter22", "hunter22"),
        ("sshpass", "-p", "hunter22", "hunter22"),
        ("mysql", "root", "-phunter22", "hunter22"),
        ("curl", "-s", "-uuser:hunter22", "hunter22"),
    ],
)
def test_the_part_of_a_word_that_is_secret(tool, before, word, secret):
    start, end = in_word(tool, before, word)
    assert word[start:end] == secret


@pytest.mark.parametrize(
    ("tool", "before", "word"),
    [
        ("", "--token", "--verbose"),
        ("", "--token", "1024"),
        ("", "--token", "[hidden-option]"),
        ("", "--ssl-key", "/etc/ssl/server1.pem"),
        ("", "-u", "1000:1000"),
        ("", "-u", "train.py:main"),
        ("", "-u", "http://localhost:80"),
        ("", "-p", "hunter22"),
        ("redis-cli", "-p", "63790"),
        ("", "root", "-phunter22"),
    ],
)
def test_a_word_without_a_secret(tool, before, word):
    assert in_word(tool, before, word) is None


def test_a_tool_is_known_by_the_name_of_its_file():
    assert tool_of("/usr/bin/mysql") == "mysql"
    assert tool_of("mysql-notes.txt") == tool_of("/") == ""


def test_options_in_a_text_are_found_in_every_notation():
    text = '--db-pass one11111 --api_key=two22222 --secret \'three 33\' ["--token", "four4444"] --eos-token five5555'
    assert [text[start:end] for start, end in in_text(text)] == ["one11111", "two22222", "three 33", "four4444"]
