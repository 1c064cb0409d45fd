"""The places of a record say what is personal; its other fields stay."""

from perfproof.triage.redaction import Redactor


def test_the_patient_of_a_message_is_hidden_and_the_reading_stays():
    message = (
        "PID|1||5530198^^^GENHOSP^MR||KALLIO^AINO^M||19330917|F\nOBX|1|NM|8867-4^Heart rate^LN||104|/min|60-100|H|||F\n"
    )
    done = Redactor(b"key").text(message)
    assert not any(value in done for value in ("5530198", "KALLIO", "19330917"))
    assert message.split("\n")[1] in done


def test_the_patient_of_an_image_is_hidden_and_the_slice_stays():
    header = "(0010,0010) PN [Vander^Godelieve]  # PatientName\n(0018,0050) DS [1.5]  # SliceThickness\n"
    done = Redactor(b"key").text(header)
    assert "Godelieve" not in done
    assert "(0018,0050) DS [1.5]" in done


def test_who_pays_and_who_is_paid_is_hidden():
    payment = ":20:REF7\n:23B:CRED\n:50K:/X1\nLIEVEN STEVER\n:59:/X2\nBRUNHILDE AUER\n:71A:SHA\n-}\n"
    done = Redactor(b"key").text(payment)
    assert "LIEVEN" not in done
    assert "BRUNHILDE" not in done
    assert ":71A:SHA" in done


def test_a_table_with_bars_is_no_message():
    assert Redactor(b"key").text("PID|COMMAND|RSS\n1|init|128\n") == "PID|COMMAND|RSS\n1|init|128\n"
