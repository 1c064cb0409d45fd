"""Sites that everybody mentions stay; the hosts of a site that nobody knows do not."""

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.public_sites import is_public


def test_a_site_and_what_stands_below_it_is_public():
    assert is_public("s3.amazonaws.com")
    assert is_public("Example.com")
    assert not is_public("notexample.com")


def test_a_label_does_not_make_a_public_site_a_host():
    assert Redactor(b"key").text("> Host: login.example.com") == "> Host: login.example.com"
    assert "zfki" not in Redactor(b"key").text("hgx-201.hall2.zfki.intern ansible_user=root")
