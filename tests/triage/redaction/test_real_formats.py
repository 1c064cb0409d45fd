"""Secrets as tools, services and people really write them: hidden, and refused by the scan where they slip past.

And the other side: what a triage is read for, numbers and names that only sound like secrets, stays as it is.
"""

import json

import pytest

from perfproof.triage.redaction import Redactor, scan_archive
from perfproof.triage.redaction.files import redact_file

HEX32 = "3f8081c2b4d5e6f7a8b9c0d1e2f3a4b5"
HEX40 = HEX32 + "c6d7e8f9"
HEX64 = HEX32 + HEX32[::-1]
WORD = "tr0ub4dor-Xy"
SECRETS = (HEX32, WORD, HEX32[::-1])

OPTIONS = [
    f"--api_key {HEX32}", f"--access_key {WORD}", f"--secret_key {WORD}", f"--secret-key {WORD}", f"--db-pass {WORD}",
    f"--openai_api_key {HEX32}", f"--requirepass {WORD}", f"--wandb-key {HEX40}", f"--api_key={HEX32}",
    f"--api-key {HEX32}", f'--password "{WORD} and more"', f"-token {WORD}", f"--server.auth-key {WORD}",
    f"--cookie sessionid={HEX32}",
]  # fmt: skip
NAMES = [
    f"X-Auth-Token: {HEX32}", f"Private-Token: {HEX32}", f"access-token: {HEX32}", f"discord_token: {HEX32}",
    f'influx_token = "{HEX40}"', f"service_token: {HEX32}", f"accessToken: {HEX32}", f"csrftoken={HEX32}",
    f"DB_PASS={WORD}", f"SMTP_PASS={WORD}", f'{{"pass": "{WORD}"}}', f"dbpass={WORD}", f"password:      {WORD}",
    f"'password' => '{WORD}'", f"Uid=sa;Pwd={WORD};Encrypt=yes", f"<password>{WORD}</password>",
    f"&lt;password&gt;{WORD}&lt;/password&gt;", f"Using API key: {HEX32}", f'"X-Amz-Security-Token": "{HEX32}"',
]  # fmt: skip
HEXADECIMAL = [
    f"AZURE_OPENAI_KEY={HEX32}", f"DD_APP_KEY={HEX40}", f"SECRET_KEY_BASE={HEX64}", f"shpat_{HEX32}", f"key-{HEX32}",
    f"https://x/y?X-Goog-Signature={HEX64}&z=1", f"lsv2_pt_{HEX32}_0123456789", f"pinecone_key: {HEX32}",
]  # fmt: skip
COMMANDS = [
    f'"Cookie": "sessionid={HEX32}; theme=dark"', f"{{'Cookie': 'sessionid={HEX32}'}}",
    f'\\"Set-Cookie\\": \\"sessionid={HEX32}\\"', f"curl -u user:{WORD} https://x.example", f"curl -s -uadmin:{WORD} x",
    f"sshpass -p {WORD} ssh h", f"sshpass -p{WORD} ssh h", f"mysql -uroot -p{WORD} db",
    f"redis-cli -h x -a {WORD} ping",
]  # fmt: skip
BEHIND_A_HARMLESS_NAME = [f"?max_token=8&password={WORD}", f"eos_token=x;password={WORD}"]
WRITTEN = [*OPTIONS, *NAMES, *HEXADECIMAL, *COMMANDS, *BEHIND_A_HARMLESS_NAME]

HARMLESS = [
    "1234.5 tokens/s, max_new_tokens=1234567, max_new_token: 131072, tokens_per_second: 12345.678",
    "num_key_value_heads=8, num_key_value_heads: 128000, key_states: torch.bfloat16, past_key: float16x8",
    "kv cache size: 123456789 key_cache=f32[8,16,128] KV_CACHE_BYTES=17179869184",
    f"cache_key={HEX40} CACHE_KEY={HEX40} graph_key: {HEX64} cache miss with key: {HEX64}",
    f"sha256: {HEX64} sha256={HEX64} commit {HEX40} git_commit={HEX40} revision: {HEX40}",
    "sort_key: p99_us_12345678 primary_key: id_12345678 DispatchKey: CUDA dispatch_key: AutogradCUDA2",
    "EOS_TOKEN=50256 bos_token: endoftext2024 image_token: imgtok12345 token_id=50256",
    "time per output token: 12.345ms, per-token latency: 12.34567ms, bits_per_token: 1.23e+05bits",
    "cost_per_token=0.000012usd draft_token: accepted12 next_token = logits.argmax()",
    "forward pass: 12.345ms forward pass: fused2ops backward_pass=12.345678ms post_grad_pass: fuse_conv2d_bn",
    "PASS: test_conv2d_12345, pass: 12.3456ms, pass=17, bypass: enabled2, compass: north1234",
    "PWD=/data/x1 OLDPWD=/data/x2 pwd: /data/runs/x12 pwd=$(pwd)/x12",
    f"--sort-key p99_us --cache-key {HEX32} --eos-token endoftext --pad-token padding2 --max-tokens 131072",
    "--ssl-key /etc/ssl/private/server1.pem --token 128",
    "signature: *fp32:16,*fp32:16,i32 signature=(f32[8])->f32[8]",
    "docker run -u 1000:1000 x; python -u train.py:main; -u localhost:8080; mkdir -p /var/lib/mysql/data1",
    "gpu__time_duration.sum 905969664 power.draw 412.50 W clocks.sm 1980 MHz temperature.gpu 61",
    "monkey: abcdefgh1 hotkey: ctrl1234 key: value1234567890 tokenizer: meta-llama/Llama-3.1-8B",
    "cookies=34567890 num_cookies: 12345678",
]


def is_gone(text) -> bool:
    return not any(secret in text for secret in SECRETS)


@pytest.mark.parametrize("text", WRITTEN)
def test_it_is_hidden_in_a_text_and_the_scan_refuses_it(text, tmp_path):
    redactor = Redactor(b"key")
    assert is_gone(redactor.text(f"step 7\nran {text}"))
    (tmp_path / "log.txt").write_text(f"step 7\nran {text}")
    assert scan_archive(tmp_path / "log.txt")
    (tmp_path / "clean.txt").write_text(redactor.text(f"step 7\nran {text}"))
    assert scan_archive(tmp_path / "clean.txt", redactor.known) == []


@pytest.mark.parametrize("text", WRITTEN)
def test_it_is_hidden_within_json_and_the_scan_refuses_it(text, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"said": ["step", text], "n": 1.5e-7}))
    assert scan_archive(tmp_path / "a.json")
    redactor = Redactor(b"key")
    assert redact_file(redactor, tmp_path / "a.json", tmp_path / "b.json").done
    done = (tmp_path / "b.json").read_text()
    assert is_gone(done) and '"n": 1.5e-07' in done
    assert scan_archive(tmp_path / "b.json", redactor.known) == []


KEYS = ["X-Auth-Token", "DB_PASS", "pass", "Pwd", "discord_token", "AZURE_OPENAI_KEY", "request/api_key", "API key"]
LISTS = [
    ["serve", "--api_key", HEX32],
    ["redis-server", "--requirepass", WORD],
    ["curl", "-u", f"user:{WORD}", "https://x.example"],
    ["/usr/bin/sshpass", "-p", WORD, "ssh", "h"],
    ["mysql", "-u", "root", f"-p{WORD}", "db"],
]
DOCUMENTS = [*({key: HEX32 + "x" if key == "pass" else HEX32} for key in KEYS), *({"argv": words} for words in LISTS)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("document", [*DOCUMENTS, {"Cookie": f"sessionid={HEX32}; theme=dark"}], ids=str)
def test_it_is_hidden_behind_a_key_and_in_a_list_of_words(document, indent, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(document, indent=indent))
    assert scan_archive(tmp_path / "a.json")
    redactor = Redactor(b"key")
    assert redact_file(redactor, tmp_path / "a.json", tmp_path / "b.json").done
    assert is_gone((tmp_path / "b.json").read_text())
    assert is_gone(json.dumps(Redactor(b"key").json_value(document)))
    assert scan_archive(tmp_path / "b.json", redactor.known) == []


@pytest.mark.parametrize("words", LISTS, ids=str)
def test_it_is_hidden_among_the_words_of_a_command(words):
    done = Redactor(b"key").arguments(words)
    assert is_gone(" ".join(done)) and len(done) == len(words)
    assert [word for word in done if "[hidden-option]" not in word] == [word for word in words if is_gone(word)]


@pytest.mark.parametrize("cut", [f'{{"db_password": "{WORD} and', f'["serve", "--token", "{WORD} and'])
def test_it_is_hidden_where_the_document_is_cut_off(cut, tmp_path):
    (tmp_path / "a.json").write_text(cut)
    assert scan_archive(tmp_path / "a.json")
    assert redact_file(Redactor(b"key"), tmp_path / "a.json", tmp_path / "b.json").done
    assert is_gone((tmp_path / "b.json").read_text())
    assert scan_archive(tmp_path / "b.json") == []


@pytest.mark.parametrize("name", ["AZURE_OPENAI_KEY", "DD_APP_KEY", "SECRET_KEY_BASE", "DB_PASS", "influx_token"])
def test_a_variable_is_learned_and_its_value_hidden_wherever_it_is_printed(name):
    redactor = Redactor(b"key")
    redactor.environment({name: HEX40, "TRITON_CACHE_KEY": HEX64})
    assert redactor.text(f"connected with {HEX40}") == "connected with [hidden-variable]"
    assert redactor.text(f"kernel {HEX64}") == f"kernel {HEX64}"


def test_the_password_of_a_connection_is_hidden_where_it_stands_alone():
    assert (
        Redactor(b"key")
        .text(f"Uid=sa;Pwd={WORD};Encrypt=yes\nretry with {WORD}")
        .endswith("retry with [hidden-named-secret]")
    )


@pytest.mark.parametrize("text", HARMLESS)
def test_what_a_triage_is_read_for_stays_readable(text, tmp_path):
    assert Redactor(b"key").text(text) == text
    (tmp_path / "log.txt").write_text(text)
    (tmp_path / "a.json").write_text(json.dumps({"said": text, "max_new_tokens": "1024", "cache_key": HEX64}))
    redactor = Redactor(b"key")
    assert redact_file(redactor, tmp_path / "a.json", tmp_path / "b.json").done
    assert (tmp_path / "b.json").read_text() == (tmp_path / "a.json").read_text()
    assert scan_archive(tmp_path / "log.txt") == scan_archive(tmp_path / "a.json") == []
