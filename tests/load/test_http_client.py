"""Addresses, and why there is no connection, in words that say what to do."""

import errno
import os
import socket
import ssl

import pytest

from perfproof.core.errors import UsageError
from perfproof.load.http_client import parse_address, words_of


def test_an_address_with_a_query_is_refused_and_not_cut():
    with pytest.raises(UsageError, match="api-version"):
        parse_address("https://h/openai/deployments/x/chat/completions?api-version=2024-10-21")
    assert parse_address("https://h/openai/v1").text == "https://h:443/openai"


def untrusted():
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (untrusted(), "not trusted (self-signed certificate); SSL_CERT_FILE"),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number"), "is it http://?"),
        (socket.gaierror(-2, "Name or service not known"), "name or service not known"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 1)"), "connection refused"),
        (OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH)), "no route to host"),
    ],
)
def test_an_error_of_a_connection_is_named_by_its_cause(error, word):
    assert word in words_of(error)
