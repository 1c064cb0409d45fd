"""A name says how much the value behind it has to look like a secret."""

import pytest

from perfproof.core.secret_names import is_secret, name_around, names_a_secret

VOCABULARY = (
    "eos_token padToken max_new_tokens num_key_value_heads cache_key SORT_KEY public_key keys forward_pass bypass PASS "
    "pass1 PWD OLDPWD monkey key_id token_id"
)
HEX = "3f8081c2b4d5e6f7a8b9c0d1e2f3a4b5"


@pytest.mark.parametrize(
    "name", ["X-Auth-Token", "DB_PASS", "db-pass", "requirepass", "api_key_2", "API key", "x/api_key"]
)
def test_behind_the_name_of_a_door_letters_and_digits_are_a_secret(name):
    assert is_secret(name, "hunter22")
    assert not is_secret(name, "none") and not is_secret(name, "[hidden-option]") and not is_secret(name, "$TOKEN")


@pytest.mark.parametrize("name", ["pinecone_key", "X-Goog-Signature", "sessionid", "myKey"])
def test_behind_a_name_that_may_mean_anything_only_what_is_drawn_at_random_is_one(name):
    assert is_secret(name, HEX)
    assert not is_secret(name, "ampere_sgemm_128x64") and not is_secret(name, "1234567890123456789")


@pytest.mark.parametrize("name", VOCABULARY.split())
def test_the_vocabulary_of_machine_learning_names_nothing(name):
    assert not names_a_secret(name) and not is_secret(name, HEX)


def test_the_word_before_decides_in_prose():
    assert not names_a_secret("forward pass") and not names_a_secret("output token") and not names_a_secret("with key")
    assert is_secret("API key", HEX) and not is_secret("API key", "see below")


def test_a_number_is_a_secret_behind_a_password_only():
    assert is_secret("DB_PASS", "12345678") and is_secret("api_key", "12345678")
    assert not is_secret("pass", "12345678") and not is_secret("my_token", "12345.678")


@pytest.mark.parametrize("value", ["12.34567ms", "4096.125tok/s", "/data/cache/step1000", "1.25e-05usd"])
def test_a_measure_and_a_path_are_no_token(value):
    assert not is_secret("token", value) and is_secret("token", HEX)


def test_a_value_whose_first_word_is_a_secret_is_one():
    assert is_secret("pinecone_key", f"{HEX} (old)")


def test_a_long_text_is_no_name_and_a_long_name_is_one():
    assert not names_a_secret("import torch\n" * 10_000)
    assert names_a_secret("a" * 10_000 + "_password")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a my-token=", "my-token"),
        ("the output token=", "output token"),
        ('{"token=', "token"),
        ("export A_token=", "A_token"),
    ],
)
def test_the_whole_name_is_found_from_its_end(text, name):
    at = text.index("token=")
    assert name_around(text, at, at + 5) == name
