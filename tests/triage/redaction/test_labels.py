"""Personal data that a label, a form or a given name tells; each class with honest look-alikes."""

import pytest

from perfproof.triage.redaction import Redactor, redact_file
from perfproof.triage.redaction.labels import find_labelled

TOLD = [  # a text and what must not be left of it
    ("PESEL 44051401359", "44051401359"),
    ("employee id: E-004512", "E-004512"),
    ('"passportNumber": "X4RTBPFW4"', "X4RTBPFW4"),
    ("Kundennr. 4711-0815", "4711-0815"),
    ("account number: 12345678 sort code 20-00-00", "20-00-00"),
    ("card exp 04/29 cvc 123", "123"),
    ('<employee name="Ravi Shankar" id="4471123"/>', "4471123"),
    ('employee: {"id": "P-20931"}', "P-20931"),
    ("date_of_birth: 02/03/1994", "02/03/1994"),
    ("geboren am 12.11.1965", "1965"),
    ("age 43, born on May 4, 1981", "May 4"),
    ("User(id=7, dob=datetime.date(1990, 1, 2))", "1990, 1, 2"),
    ("生年月日: 1985年4月2日", "1985"),
    ("Applicant: Olumide Adeyemi, 29 years", "Adeyemi"),
    ("cardholder: MARTA NOWICKA", "NOWICKA"),
    ("Estimado Sr. Echeverría:", "Echeverría"),
    ("姓名：王小明", "王小明"),
    ("Ф.И.О.: Иванов Пётр Сергеевич", "Иванов"),
    ("performance review of Kevin Tran: below expectations", "Kevin Tran"),
    ("BEGIN:VCARD\nFN:Philippa Ashcroft\nEND:VCARD", "Ashcroft"),
    ("id,name,phone\n7,Emeka Nwosu,+234 803 555 0199", "Nwosu"),
    ("Nachname;Vorname;Geburtsdatum\nZimmermann;Ute;04.05.1966", "Zimmermann"),
    ("| Saoirse Kelly | saoirse@example.ie | 085 555 0134 |", "085 555"),
    ("<contact><name>Kenji Watanabe</name></contact>", "Watanabe"),
    ("-- \nRupert Giles\nLibrary", "Giles"),
    ("home address is Kerkstraat 15, 1017 GA Amsterdam", "Kerkstraat"),
    ("住所：東京都千代田区1-1-1", "千代田区"),
    ("postcode: SW1A 2AA", "SW1A"),
    ("location: 48.2082, 16.3738", "16.3738"),
    ("phone (home): 020 7946 0958", "7946"),
    ("sms to 07700 900456 failed", "900456"),
    ("j.random(at)institute.example", "random"),
    ("email = 用户@例子.公司", "用户"),
    ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<<", "ERIKSSON"),
    ("https://www.linkedin.com/in/marisol-villanueva-72b1a", "villanueva"),
    ("venmo: @walter-white-9", "walter"),
    ("religion: Catholic", "Catholic"),
    ("SSID: Familie Hoffmann 5G", "Hoffmann"),
    ("Bluetooth paired to Tims iPhone", "Tims"),
    ("login as: okonkwo", "okonkwo"),
    ("Last login: Mon from laptop-ines.fritz.box", "ines"),
    ("C:\\Documents and Settings\\mrossi\\Desktop", "mrossi"),
    ("\\\\corp.local\\profiles\\tschulz\\ntuser.dat", "tschulz"),
    ("PS C:\\Users\\moritz> python a.py", "moritz"),
    ('203.0.113.120 - fpickering [10/Oct/2025:13:55:36 +0000] "GET / HTTP/1.1" 200', "fpickering"),
]
ALIKE = [
    "name: Tensor Core",
    "Name: NVIDIA H200",
    "account for 12 % of the time",
    "insurance against overflow in 3 of 4 cases",
    "license: Apache 2.0",
    "the address of x is 0x7ff1a2b3c4d5",
    "street_view_batch = 12",
    "born from rank 0",
    "case 12345: passed",
    "pass 12345 of 20000",
    "member 4 of group 2",
    "called 123456 times in 12 s",
    "ring 0: 1 2 3 4 5 6 7 8",
    "Grace Hopper has 72 cores",
    "Ada Lovelace and Blackwell support FP8",
    "id,name,time_us\n1,gemm_128x128,12.5",
    "geometry: 1.25, 2.5",
    "TODO(later): drop this",
    "step 100 loss 2.31 tok/s 12345",
    "From: rank 0 To: rank 1",
    "diagnosis: memory bound",
    "Copyright (c) 2001 John Smith",
]


@pytest.mark.parametrize(("text", "gone"), TOLD)
def test_personal_data_behind_a_label_is_hidden(text: str, gone: str) -> None:
    assert gone not in Redactor(b"k" * 32).text(text)


@pytest.mark.parametrize("text", ALIKE)
def test_what_only_looks_like_personal_data_stays(text: str) -> None:
    assert Redactor(b"k" * 32).text(text) == text


@pytest.mark.parametrize("text", ["passport ", "account number: (none)", "ssn", "tel:", "Mr. ", "person <", "ext. 1"])
def test_a_label_without_a_value_is_no_error(text: str) -> None:
    assert list(find_labelled(text)) == []


def test_of_two_that_overlap_the_rest_of_the_second_is_hidden_too() -> None:
    done = Redactor(b"k" * 32).text("Absender: Ottilie Krämer, Lindenweg 4, 50667 Köln")
    assert "Lindenweg" not in done
    assert "50667" not in done


def test_several_words_behind_a_key_of_json_are_one_value(tmp_path) -> None:
    raw, done = tmp_path / "a.json", tmp_path / "b.json"
    raw.write_text('{"customer_name": "Xandor Quibble", "street": "Elm 12", "iban": "unknown: why", "name": "gemm"}')
    assert redact_file(Redactor(b"key"), raw, done).done
    text = done.read_text()
    assert "Quibble" not in text
    assert "Elm 12" not in text
    assert '"unknown: why"' in text
    assert '"gemm"' in text
