"""A page that is sent away carries no password; words that only look alike stay."""

import pytest

from perfproof.report.formats import html
from perfproof.report.html.secrets import without_secrets
from tests.report.sample_runs import run, target


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("HF_TOKEN=abcdefgh123 rest", "HF_TOKEN=[hidden] rest"),
        ("&#34;MY_API_KEY&#34;: &#34;abcdefgh&#34;, 1", "&#34;MY_API_KEY&#34;: &#34;[hidden]&#34;, 1"),
        ("hf_abcdefghijABCDEFGHIJ0123", "[hidden]"),
        ("clone https://me:hunter22@host/x", "clone https://me:[hidden]@host/x"),
        ("&lt;password&gt;correct horse&lt;/password&gt;", "&lt;password&gt;[hidden]&lt;/password&gt;"),
        ("X-Auth-Token: 0123456789abcdef<br>", "X-Auth-Token: [hidden]<br>"),
        ("serve --secret_key s3cr3t-value<b>", "serve --secret_key [hidden]<b>"),
        ("serve --api-key s3cr3t-value<b>", "serve --api-key [hidden]<b>"),
    ],
)
def test_a_secret_is_hidden(text, shown):
    assert without_secrets(text) == shown


@pytest.mark.parametrize("text", ["max_tokens=1234567", "EOS_TOKEN=50256", "tokens = tokenizer(x)", "--tokens 1234567"])
def test_the_vocabulary_of_language_models_is_no_secret(text):
    assert without_secrets(text) == text


def test_no_way_leads_a_secret_into_the_page():
    secret = "abcdef0123456789"
    said = f"AWS_SECRET_ACCESS_KEY={secret}"
    bad = target(said, status="crashed", reason=said, output_tail=said, lesson=said, program={"a": {"command": [said]}})
    bad.program["a"]["variables"] = {"HF_TOKEN": secret}
    bad.program["a"]["cwd"] = "/"
    page = html.render(run(bad, command=["perfproof", said], options={"x": {"HF_TOKEN": secret}}))
    assert "[hidden]" in page and secret not in page
