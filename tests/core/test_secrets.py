"""Secrets of each known form are found, and what only sounds like one stays."""

import pytest

from perfproof.core.secrets import HIDDEN, find, hide, is_secret, names_a_secret

A40 = "abcdefghij0123456789ABCDEFGHIJ0123456789"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x AKIA2345678901234567 y", "x [hidden] y"),
        (f"Authorization: Bearer {A40}", "Authorization: Bearer [hidden]"),
        ("login me password hunter2", "login me password [hidden]"),
        ("postgresql://app:s3cr3t@db/x", "postgresql://app:[hidden]@db/x"),
        ("redis://:s3cr3t@db/0", "redis://:[hidden]@db/0"),
        ('{"db_password": "correct horse"}', '{"db_password": "[hidden]"}'),
        ("--api-key=s3cr3t-value x", "--api-key=[hidden] x"),
        ("https://x/y?sv=1&sig=abcdefgh12345678&z=1", "https://x/y?sv=1&sig=[hidden]&z=1"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest",
            "-----BEGIN RSA PRIVATE KEY-----\n[hidden]\n-----END RSA PRIVATE KEY-----\nrest",
        ),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\ndone",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n[hidden]\ndone",
        ),
        ("password=$ecret99", "password=[hidden]"),
        ("X-Auth-Token: 0123456789abcdef", "X-Auth-Token: [hidden]"),
        ("<a><password>correct horse</password></a>", "<a><password>[hidden]</password></a>"),
        ("max_token=8&password=hunter22 x", "max_token=8&password=[hidden] x"),
        ("curl -u me:hunter22 x", "curl -u me:[hidden] x"),
        ("mysql -h db -phunter22 x", "mysql -h db -p[hidden] x"),
        ('"Cookie": "id=abcdef; b=c", "x": 1', '"Cookie": "[hidden]", "x": 1'),
        ("DB_PASS := hunter22", "DB_PASS := [hidden]"),
    ],
)
def test_a_secret_is_hidden_and_the_rest_is_not(text, shown):
    assert hide(text, entropy=False) == shown


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=1234567 eos_token=endoftext EOS_TOKEN=50256",
        "token: therefore",
        "password: ${DB_PASSWORD}",
        "HF_TOKEN=[hidden-variable]",
        "tokens = tokenizer(x); next_token = logits.argmax()",
        "basic information about the bearer of news",
        "secret sauce",
        "sk-learn is short",
    ],
)
def test_words_that_sound_alike_stay(text):
    assert find(text) == []


def test_secrets_that_overlap_are_one():
    text = f"GITHUB_TOKEN=ghp_{A40}"
    assert hide(text) == f"GITHUB_TOKEN={HIDDEN}"


def test_hiding_twice_changes_nothing():
    once = hide(f"a ghp_{A40} b password=abcdef99 c")
    assert hide(once) == once


HOSTILE = ("eos_token=", "FOO_TOKEN=(", "--token ", "-a-key", "mysql -x ", "curl -u", "-u a:", "key.", "token='\"", "_")
HOSTILE += (
    "password>",
    "password&gt;",
    "cookie': '",
    "api key ",
    "token=&#34;",
    "x_token=/a1",
    'sshpass "-p", ',
    "pass",
)


@pytest.mark.parametrize("part", HOSTILE)
def test_a_line_that_repeats_what_a_secret_begins_with_is_read_to_its_end(part):
    """An expression that goes back and forth would not come to an end on it."""
    text = part * (60_000 // len(part)) + f" ghp_{A40} x"
    assert hide(text, entropy=False).endswith(f" {HIDDEN} x")


def test_a_long_value_is_hidden_to_its_end():
    assert hide(f"DB_PASS={'a1' * 5000} rest", entropy=False) == f"DB_PASS={HIDDEN} rest"


@pytest.mark.parametrize("name", ["HF_TOKEN", "options.env.MY_API_KEY", "db_password", "AWS_SECRET_ACCESS_KEY"])
def test_names_of_secrets(name):
    assert names_a_secret(name)


@pytest.mark.parametrize("name", ["eos_token", "max_tokens", "tokenizer", "monkey", "PWD", "key"])
def test_names_of_other_things(name):
    assert not names_a_secret(name)


def test_a_number_behind_a_token_is_its_index():
    assert not is_secret("EOS_TOKEN", "50256")
    assert is_secret("DB_PASSWORD", "123456")


def test_a_secret_in_a_long_line_and_behind_many_lines_is_found_at_its_place():
    objects = ",".join(f'{{"step": {at}}}' for at in range(600))
    text = f'first\r\nsecond\n[{objects},{{"key": "ghp_{A40}"}},{objects}]\nlast'
    assert [text[one.start : one.end] for one in find(text)] == [f"ghp_{A40}"]
