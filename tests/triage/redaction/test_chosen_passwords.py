"""A password that a person chose is told by its form; names of models, hosts and modules have other forms."""

import pytest

from perfproof.triage.redaction import Redactor


@pytest.mark.parametrize("word", ["boerenkool-Worst8", "Gooseberry.Fool.3", "Mirth-9kelp-Harbor", "Radius&Ulna_206"])
def test_a_chosen_password_needs_no_label(word):
    assert word not in Redactor(b"key").text(f"namely {word}, and it locks after five tries")


@pytest.mark.parametrize(
    "word",
    [
        "Llama-3.1-70B-Instruct",
        "Mistral-7B-Instruct-v0.3",
        "Falcon3-Mamba-Instruct",
        "DenseNet-121",
        "psycopg2.OperationalError",
        "Ubuntu-Server-22",
        "gpu-node-07",
        "ConnectX-7",
        "x86_64-linux-gnu",
        "ISO-8859-1",
        "Phi-3-mini-4k",
    ],
)
def test_names_of_the_field_stay(word):
    assert Redactor(b"key").text(f"uses {word} here") == f"uses {word} here"
