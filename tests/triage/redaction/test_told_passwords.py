"""A line that speaks of a password, and the word in it that is one."""

import pytest

from perfproof.triage.redaction import Redactor

TOLD = [
    ("# old storage password until 2023-11 was munich-Otter-88", "munich-Otter-88"),
    ("- Kablosuz ağ şifresi ise findikfistik09", "findikfistik09"),
    ("跳板机的口令已改为 wo-ai-chi-mantou", "wo-ai-chi-mantou"),
    ("minha senha do portal é jabuticaba_no_pe, podem entrar", "jabuticaba_no_pe"),
    ("do panelu logujemy się hasłem Pierogi.Ruskie.5", "Pierogi.Ruskie.5"),
    ("und das Kundenkennwort Sonnenblume-12.", "Sonnenblume-12"),
    ("To open it use Radius&Ulna_206 as password.", "Radius&Ulna_206"),
    ("klucz do bramki: bramka-77-Xq0vT (do grudnia)", "bramka-77-Xq0vT"),
    ("Кодовое слово для витрины — подорожник", "подорожник"),
    ("phrase secrète de la clé : le canard boit du cidre", "canard"),
    ("El código de la puerta es 2280*", "2280"),
    ("La password è stata reimpostata:\n    Focaccia-Genovese-1\n", "Focaccia-Genovese-1"),
    ("[09:03] a: tu as le mot de passe ?\n[09:03] b: oui c'est Cigale-Fourmi-6\n", "Cigale-Fourmi-6"),
    ("[10:31] b: the password expired\n[10:32] a: what is the new one\n[10:32] b: Durian2Penang\n", "Durian2Penang"),
    ('{"text": "who has the login?"}\n{"text": "ask and then Gr4pefruit spoon"}\n', "Gr4pefruit"),
    ("Keep the recovery codes in a safe place:\n   - 7f2k-93mx\n   - x5rt-66hb\n", "x5rt-66hb"),
]
ALIKE = [
    "La password del controller è stata reimpostata:",
    "# second user typed the password into the login prompt, account told to rotate",
    "the password is stored as sha512-crypt in /etc/shadow",
    "password authentication uses pam_unix on node-07",
    "La clave `key_padding_mask` del registro no es un secreto.",
    "exit code: 4096, error code 1234",
    "la clé de cache doit contenir le nom du modèle",
    "# getent passwd | tail -4",
    "Password for the cluster:\n$ klist -e",
    "A token here means a sub-word unit, not a credential.",
]


@pytest.mark.parametrize(("text", "password"), TOLD)
def test_a_password_that_is_told_is_hidden(text, password):
    assert password not in Redactor(b"key").text(text)


@pytest.mark.parametrize("text", ALIKE)
def test_a_line_that_tells_none_stays(text):
    assert Redactor(b"key").text(text) == text
