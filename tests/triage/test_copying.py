"""What a later file tells is hidden in the earlier ones, too."""

from perfproof.triage import session
from perfproof.triage.packing import pack
from perfproof.triage.session import TriageOptions


def test_a_secret_that_a_large_file_names_is_hidden_in_a_small_one(tmp_path):
    made = session.begin(TriageOptions(output_root=tmp_path / "out"), lambda line: None)
    made.write("raw/small.txt", "connecting with hunter2-hunter2\nuser@mail.example.net\n")
    made.write("raw/large.txt", "DB_PASSWORD=hunter2-hunter2\n" + "step\n" * 100)
    packed = pack(made)
    assert "hunter2" not in (packed.folder / "raw/small.txt").read_text()
    assert packed.manifest.left_out == {}
    assert packed.manifest.redactions["mail"] == 1, "what is redacted twice is counted once"
