"""What a label means, in any spelling; and labels that say nothing about a person."""

import pytest

from perfproof.triage.redaction.meanings import BIRTH, LOGIN, NAME, NUMBER, PHONE, ROLE, meaning

SPELLINGS = {
    NAME: ["lastName", "LAST_NAME", "app.user.last-name", "Nachname", "prénom", "ФИО", "氏名", "customer_name"],
    LOGIN: ["user", "USER_NAME", "createdBy", "submitted by", "Benutzername", "usuario", "użytkownik", "ユーザー"],
    ROLE: ["Patient", "contact_person", "Ansprechpartnerin", "担当者", "responsable"],
    PHONE: ["phoneNumber", "TELEFON", "contact_phone", "電話番号"],
    BIRTH: ["dob", "dateOfBirth", "DATE_DE_NAISSANCE", "生年月日"],
    NUMBER: ["employee_id", "Kundennummer", "passportNo", "SSN", "student number"],
}  # fmt: skip


@pytest.mark.parametrize(("meant", "label"), [(meant, one) for meant, labels in SPELLINGS.items() for one in labels])
def test_a_label_means_the_same_in_every_spelling(meant, label):
    assert meaning(label) == meant


@pytest.mark.parametrize(
    "label", ["filename", "host_name", "max_tokens", "sorted by", "kernel", "serviceAccountName", ""]
)
def test_a_label_of_a_thing_means_nobody(label):
    assert meaning(label) is None
