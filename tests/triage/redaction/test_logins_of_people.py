"""A login that follows from a name is hidden wherever it stands; a word that happens to look alike is not."""

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.logins_of_people import likely_logins


@pytest.mark.parametrize("login", ["bcarrizo", "belen.carrizo", "carrizo_belen", "carrizob", "belenc", "b-carrizo"])
def test_a_login_that_is_made_of_a_name_is_found(login):
    assert login in likely_logins("Belén Carrizo", f"account {login}, queue long")


def test_a_login_stands_as_a_word_of_its_own():
    assert not list(likely_logins("Belén Carrizo", "subcarrizobol and carrizo"))
    assert not list(likely_logins("Carrizo", "bcarrizo")), "one word tells no login"
    assert not list(likely_logins("Ann Other", "another"))


def test_a_mail_tells_the_login_of_its_owner_and_the_hosts_of_the_house():
    text = "Cc: <belen.carrizo@cuyo-grid.com.ar>\nrelay mx1.cuyo-grid.com.ar, queue of bcarrizo\n"
    done = Redactor(b"key").text(text)
    assert "carrizo" not in done and "cuyo" not in done


def test_a_provider_of_mail_is_no_house():
    text = "Cc: <belen.carrizo@gmail.com>\nsee gmail.com\n"
    assert "see gmail.com" in Redactor(b"key").text(text)
