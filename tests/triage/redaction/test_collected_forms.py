"""What three collections brought up, by class: what is hidden, and what looks like it and stays."""

import pytest

from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.second_reading import shipped

PASSWORD = "orbit-lemon-85"
HIDDEN = [  # the text, and what must not be left
    ("curl https://collect.sirocco.tn/v1", "sirocco"),
    ("smtp_smarthost: mx1.lagoon-grid.com.gh:587", "lagoon"),
    ("extra_hosts: licence.zora.rs:192.168.9.30", "zora"),
    ("is hpc-gpu-22.keldur.is up?", "keldur"),
    ("server_address = 'ldap.lembah-riset.ac.id'", "lembah"),
    ("GPU serial number is 1322087088691", "1322087088691"),
    ("Machine: WS-RTX-0419 (Windows)", "WS-RTX-0419"),
    ("From: =?utf-8?q?Bel=C3=A9n_Carrizo?= <x@example.org>", "Carrizo"),
    ("Айгерим Сейткали, [18.05.2024 21:04]\nhello", "Айгерим"),
    ("user,city,name\n7,00160 Helsinki,Aino Laine", "Helsinki"),
    ("GRPC_AUTH_HEADER=x-triton-key:54i5wv1ccfons7v5m35f", "54i5wv1"),
    ("a.b.org\tTRUE\t/\tTRUE\t1740990021\tsession\t9f17c5497a05062c576c", "9f17c5497a"),
    ("    pass: 6yyf p4gh kgve sn39", "p4gh"),
    ("予備コード: 7215-0697", "7215-0697"),
    (f"<Password>\n  <Value>{PASSWORD}</Value>\n</Password>", PASSWORD),
    ('secure_link_md5 "$uri bacalhau-frito";', "bacalhau"),
    ("RABBITMQ_ERLANG_COOKIE: BO9S3SWEZLO0UDVG07XV", "BO9S3"),
]
KEPT = [
    "vllm@prod.service - vLLM OpenAI server (prod)",
    "perfproof/worker/test.rs:12 and torch.nn.functional.py:40",
    "self.model.id, x.data.to(y), config.model.is_tn",
    "mail support@vendor.example for help",
    "no number, city: Helsinki",
    "Key                Value\n---                -----\ntoken_duration     767h58m\nmax_batch_tokens   16384",
    '127.0.0.1 - - [17/Nov/2024:06:25:12 +0000] "POST /reset-password HTTP/1.1" 302 0',
    "validate_password.policy = MEDIUM",
    "ssh_private_key: ~/.ssh/ray_ed25519",
    "LoadCredential=tls-key:/etc/ssl/private/vllm.key",
    "token=hf_xxxxxxxx",
    "password: ***REDACTED***",
    "default login anonymous password guest",
    "/work/ckpt/ft70b and /scratch/sweeps/llm-7b",
]


@pytest.mark.parametrize(("text", "value"), HIDDEN, ids=[value for _, value in HIDDEN])
def test_it_is_hidden(text, value):
    assert value not in Redactor(b"key").text(f"{text}\n")


@pytest.mark.parametrize("text", KEPT)
def test_it_stays(text):
    assert Redactor(b"key").text(f"{text}\n") == f"{text}\n"


@pytest.mark.parametrize(
    "line",
    [
        "     31.4    9,114,208,331     12,288   741,716.2   739,904.0   701,120   981,440  sm90_xmma_gemm",
        "TimeoutStartSec=900",
        "PublicKey = wOuX6sw1SGJnypfz2Yv0ds2stl3hIZmAKBbYx9dRGs=",
        "GRAFANA_TOKEN=<paste-token-here>",
    ],
)
def test_the_second_reading_leaves_figures_and_what_is_public(line):
    text = f"first line\n{line}\nlast line\n"
    assert Redactor(b"key", second=shipped()).text(text) == text


def test_the_second_reading_hides_a_login_as_a_whole():
    text = "docker login ghcr.io -u noa-benhaim --password-stdin\nmore\n"
    assert "benhaim" not in Redactor(b"key", second=shipped()).text(text)
