"""Who is answered: those with the key, or programs of this machine."""

import pytest

from perfproof.core.admission import refusal

KEY = "k" * 20


@pytest.mark.parametrize(
    "authorization, status", [(f"Bearer {KEY}", None), (f"Bearer {KEY[1:]}", 401), ("", 401), ("Bearer é\udcff", 401)]
)
def test_with_a_key_only_the_key_counts(authorization, status):
    found = refusal(KEY, authorization, "elsewhere.example", "http://page.example", "server")
    assert (found and found[0]) == status


@pytest.mark.parametrize(
    "host, origin, is_answered",
    [
        ("127.0.0.1:8322", None, True),
        ("localhost", None, True),
        ("[::1]:8322", None, True),
        ("127.0.0.1:8322", "http://127.0.0.1:8322", True),
        ("127.0.0.1:8322", "http://127.0.0.1:9000", False),
        ("127.0.0.1:8322", "null", False),
        ("evil.example", None, False),
        ("[", None, False),
        ("", None, False),
    ],
)
def test_without_one_only_programs_of_this_machine_are_answered(host, origin, is_answered):
    found = refusal(None, "", host, origin, "server")
    assert found is None if is_answered else found[0] == 403
