"""Hide what looks like a secret in a page that leaves the machine: commands, variables and output may hold one.

A page is looked through once more as a whole, just before it is handed over, so that no part of it can be forgotten.
"""

import re

HIDDEN = "[hidden]"
FORMS = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{20,}|gh[opsu]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}"
    r"|sk-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|nvapi-[\w-]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+)"
)
# Lower-case names such as max_tokens are the vocabulary of language models, and no secrets.
NAME = r"\b[A-Z][A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)"
QUOTE = r"(?:&#34;|&quot;|\")"
NAMED = re.compile(rf"({NAME}(?:=|{QUOTE}: ?{QUOTE}))[^\s<]{{6,}}?(?=\s|<|&#34;|&quot;|&#39;|\"|$)")
OPTION = re.compile(r"(--(?:password|api-key|token|secret)(?:=| ))[^\s<]{6,}")
IN_ADDRESS = re.compile(r"(://[^\s/:@<]+:)[^\s/@<]+@")


def names_a_secret(name: str) -> bool:
    """HF_TOKEN, options.env.MY_API_KEY: for a value that is shown apart from its name."""
    return re.search(rf"{NAME}$", name) is not None


def without_secrets(page: str) -> str:
    """The escaped page, with what looks like a secret replaced."""
    page = FORMS.sub(HIDDEN, page)
    page = NAMED.sub(rf"\1{HIDDEN}", page)
    page = OPTION.sub(rf"\1{HIDDEN}", page)
    return IN_ADDRESS.sub(rf"\1{HIDDEN}@", page)
