"""What identifies a machine or a person gets a stable pseudonym; what only looks like it stays as it is."""

import json
import re
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core import secrets
from perfproof.triage import redaction
from perfproof.triage.redaction import Redactor, for_this_machine, scan_archive
from perfproof.triage.redaction.files import redact_file
from perfproof.triage.redaction.pseudonyms import PSEUDONYM
from perfproof.triage.redaction.redactor import secrets_in


def redactor(**names):
    return Redactor(b"a key", **names)


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("ssh node17.cluster.internal", "node17"),
        ("inet 10.11.12.13/24", "10.11.12.13"),
        ("inet6 fe80::c42:a1ff:feb2:1c3e", "c42:a1ff"),
        ("ether 0c:42:a1:b2:c3:d4", "b2:c3"),
        ("node_guid 5c25:7303:00ab:cdef", "7303"),
        ("Node GUID: 0x0c42a10300b21c3e", "0c42a1"),
        ('File "/home/ann.b/train.py", line 3', "ann.b"),
        ("C:\\Users\\annb\\x", "annb"),
        ("GPU 0: (UUID: GPU-4f3c2a10-1111-2222-3333-444455556666)", "4f3c2a10"),
        ("Serial Number                         : 1321021036045", "1321021036045"),
        ("written by ann@uni-x.edu", "uni-x"),
        ("https://annb@git.intra.corp/x", "annb"),
        ("MASTER_ADDR=worker-3", "worker-3"),
    ],
)
def test_what_identifies_is_replaced_by_a_pseudonym(text, private):
    done = redactor().text(text)
    assert private not in done
    assert PSEUDONYM.search(done)


@pytest.mark.parametrize(
    "text",
    [
        "nvidia-cublas-cu12 12.4.5.8, nvidia-curand-cu12==10.3.5.147, version 9.1.0.70, libcudnn.so.9.1.0.70",
        "at::native::add c10::impl 12:30:45 0000:65:00.0 torch.nn.functional threading.local scipy.io.wavfile",
        "listening on 127.0.0.1:8000 and [::1]:8000, mask 255.255.255.0",
        "a user: every word; git@github.com; https://pytorch.org/get-started",
        "dram__bytes.sum 905969664, lts__t_sectors.avg.pct_of_peak_sustained_elapsed 81.93, latency.p99.us 12",
        "rev 3f8081c2b4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9 sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15",
        "/usr/lib/python3.11/site-packages/torch/_inductor/runtime/triton_heuristics.py:1234",
        "ff:ff:ff:ff:ff:ff 00:00:00:00:00:00",
    ],
)
def test_versions_names_and_numbers_stay(text):
    assert redactor().text(text) == text


def test_a_pseudonym_is_the_same_everywhere_in_a_bundle_and_another_in_the_next():
    one, other = Redactor(b"1", hosts=["node17"]), Redactor(b"2", hosts=["node17"])
    assert one.text("node17") == one.json_value({"hostname": "NODE17"})["hostname"] == one.name("node17")
    assert one.text("node17") != other.text("node17")
    assert Redactor(hosts=["node17"]).text("node17") != Redactor(hosts=["node17"]).text("node17")


def test_a_known_user_is_hidden_as_a_word_and_not_within_words():
    done = redactor(users=["ann"], homes=["/data/ann"]).text("ann wrote /data/ann/x; annotate; ANN")
    assert "annotate" in done and "/data" not in done
    assert len(set(re.findall(r"user-\w+", done))) == 1


def test_a_place_gets_its_name_wherever_it_stands_and_a_longer_one_its_own():
    made = redactor()
    made.call("/data/jobs/x", "BUNDLE")
    made.call("/data/jobs", "FOLDER")
    made.call("/", "ROOT")
    assert made.text('see /data/jobs/x/raw and {\\"at\\": \\"/data/jobs/run.py\\"}; /data/jobsite') == (
        'see BUNDLE/raw and {\\"at\\": \\"FOLDER/run.py\\"}; /data/jobsite'
    )


def test_a_host_with_a_common_name_does_not_take_metrics_along():
    assert redactor(hosts=["gpu", "dram"]).text("gpu__time_duration.sum dram__bytes.sum") == (
        "gpu__time_duration.sum dram__bytes.sum"
    )


def test_only_allowed_variables_are_shown_and_secret_ones_are_learned():
    seen = redactor()
    shown = seen.environment(
        {"NCCL_DEBUG": "INFO", "HOME": "/home/x", "MY_PASSWORD": "rosebud77", "TORCH_API_KEY": "abcdefgh1", "RANK": "0"}
    )
    assert shown == {"NCCL_DEBUG": "INFO", "RANK": "0"}
    assert "rosebud77" in seen.known
    assert seen.text("debug: rosebud77") == "debug: [hidden-variable]"


def test_a_learned_secret_is_hidden_in_its_encoded_forms_too():
    seen = redactor()
    seen.environment({"MY_PASSWORD": "open/sesame 99"})
    done = seen.text("a open%2Fsesame%2099 b eHhvcGVuL3Nlc2FtZSA5OQ== c b3Blbi9zZXNhbWUgOTk= d")
    assert "sesame" not in done and "Nlc2FtZSA5" not in done and "9zZXNhbWUgOT" not in done


def test_files_that_only_secrets_told_apart_keep_different_names():
    seen = redactor()
    secrets = [f"ghp_{letter * 30}" for letter in "ab"]
    names = [seen.name(f"raw/log_{secret}.txt") for secret in secrets]
    assert names[0] != names[1] and not any(secret in name for secret, name in zip(secrets, names, strict=True))
    assert all(name.startswith("raw/") and name.endswith(".txt") for name in names)
    assert seen.name("raw/log.txt") == "raw/log.txt"


def test_the_value_of_a_secret_option_is_hidden():
    done = redactor().arguments(["serve", "--api-key", "plain-words", "--tokens", "1024", "--token=abcdefg"])
    assert done == ["serve", "--api-key", "[hidden-option]", "--tokens", "1024", "--token=[hidden-option]"]


def test_what_is_hidden_already_is_neither_hidden_again_nor_learned(tmp_path):
    seen = redactor(hosts=["node17"])
    first = seen.arguments(["serve", "--token", "open-sesame-12", "--secret", "node17"])
    known = seen.known
    assert seen.arguments(first) == first
    assert seen.json_value({"argv": first, "DB_PASSWORD": "[hidden-named-secret]"})["argv"] == first
    (tmp_path / "run.json").write_text(json.dumps({"argv": first}))
    assert redact_file(seen, tmp_path / "run.json", tmp_path / "clean.json").done
    assert json.loads((tmp_path / "clean.json").read_text())["argv"] == first
    assert seen.known == known
    (tmp_path / "report.md").write_text("serve --token \\[hidden-option] DB_PASSWORD=\\[hidden-named-secret]")
    assert scan_archive(tmp_path / "report.md", known) == []


def test_json_keeps_its_shape_and_its_numbers():
    document = {"a": [1, 2.5, None, True], "serial": 1321021036045, "env": {"HOME": "/home/x", "RANK": "1"}, "user": 7}
    done = redactor().json_value(document)
    assert done["a"] == [1, 2.5, None, True] and done["user"] == 7
    assert done["env"] == {"RANK": "1"}
    assert done["serial"].startswith("serial-")


def test_counts_say_how_many_of_each_kind():
    seen = redactor(hosts=["node17"])
    seen.text("node17 node17 10.1.2.3 ghp_abcdefghij0123456789ABCDEFGHIJ012345")
    assert seen.counts == {"host": 2, "address": 1, "github-token": 1}


def test_this_machine_is_known_by_its_files(tmp_path):
    for name, content in {
        "etc/hostname": "trainer-07\n",
        "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    done = for_this_machine(b"key", tmp_path).text("on trainer-07 id 0123456789abcdef0123456789abcdef")
    assert "trainer" not in done and "0123456789abcdef" not in done


PROSE = "step loss kernel add mul forward batch sum 12 0.25 905969664 ms GB/s f32[8,16] at::add <<<1,2>>>"
WORDS = st.sampled_from(PROSE.split())


@settings(deadline=None, max_examples=60)
@given(st.lists(WORDS, max_size=30), st.sampled_from([" ", "\n", ", ", "\t"]))
def test_text_without_secrets_is_unchanged(words, between):
    text = between.join(words)
    assert redactor(hosts=["node17"], users=["ann"]).text(text) == text


def test_no_source_file_of_the_redaction_itself_needs_a_second_pass():
    """The hardest texts there are: patterns of secrets, full of their names."""
    for path in sorted(
        [*Path(redaction.__file__).parent.glob("*.py"), *Path(secrets.__file__).parent.glob("secret*.py")]
    ):
        seen = redactor()
        once = seen.text(path.read_text())
        assert seen.text(once) == once, path.name
        assert secrets_in(once) == [], path.name


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet=string.printable, max_size=200))
def test_redacting_twice_is_redacting_once(text):
    seen = redactor(hosts=["node17"], users=["ann"])
    once = seen.text(text)
    assert seen.text(once) == once


@settings(deadline=None, max_examples=60)
@given(
    st.text(alphabet=string.ascii_lowercase + string.digits, min_size=5, max_size=20),
    st.binary(min_size=8, max_size=32),
)
def test_a_pseudonym_does_not_hold_what_it_stands_for(name, key):
    host = f"x{name}"
    done = Redactor(key, hosts=[host]).text(f"on {host} now")
    assert host not in done
    assert done == Redactor(key, hosts=[host]).text(f"on {host} now")
    assert done != Redactor(key + b"1", hosts=[host]).text(f"on {host} now")


@settings(deadline=None, max_examples=60)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False), st.lists, max_leaves=20))
def test_numbers_in_json_are_never_touched(value):
    assert json.dumps(redactor().json_value({"values": value})) == json.dumps({"values": value})
