"""A word is told from a name by its spelling, also if no list holds it."""

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.family_names import FAMILY_NAMES
from perfproof.triage.redaction.given_names import GIVEN_NAMES
from perfproof.triage.redaction.name_likeness import likeness


@pytest.mark.parametrize("name", ["Sanfilippo", "Kerouanton", "Pattanaik", "Starzyńska", "Villarreal"])
def test_a_name_of_no_list_is_spelled_like_a_name(name):
    assert name.lower() not in GIVEN_NAMES | FAMILY_NAMES
    assert likeness(name) > 0.3


@pytest.mark.parametrize("word", ["checkpoint", "tokenizer", "infiniband", "Prometheus", "firmware"])
def test_a_word_of_the_field_is_not(word):
    assert likeness(word) < 0


@pytest.mark.parametrize(
    "text", ["Presenti: Ludovica Sanfilippo", "- Ishwari Pattanaik: cache is warm", "Relecteur : Maëlle Kerouanton"]
)
def test_two_such_words_are_a_person(text):
    done = Redactor(b"key").text(text)
    assert "person-" in done
    assert not any(word in done for word in ("Sanfilippo", "Pattanaik", "Kerouanton"))


@pytest.mark.parametrize("text", ["Model: Flash Attention", "Vendor: Mellanox Technologies", "Font: DejaVu Sans Mono"])
def test_two_words_of_the_field_stay(text):
    assert Redactor(b"key").text(text) == text
