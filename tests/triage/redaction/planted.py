"""Secrets drawn from a fixed seed, in the forms that their makers give them: none is anybody's."""

import base64
import random
import string

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
EACH = 9


def planted() -> dict[str, list[str]]:
    """kind -> its secrets; more than 200 of more than 20 kinds."""
    draw = random.Random(20_261_115)

    def of(alphabet: str, length: int) -> str:
        return "".join(draw.choices(alphabet, k=length))

    forms = {
        "aws": lambda: "AKIA" + of(UPPER, 16),
        "github": lambda: "ghp_" + of(ALNUM, 36),
        "github-fine": lambda: "github_pat_" + of(ALNUM, 22) + "_" + of(ALNUM, 59),
        "gitlab": lambda: "glpat-" + of(URLSAFE, 20),
        "slack": lambda: f"xoxb-{of(string.digits, 12)}-{of(string.digits, 12)}-{of(ALNUM, 24)}",
        "openai": lambda: "sk-" + of(ALNUM, 48),
        "anthropic": lambda: "sk-ant-api03-" + of(URLSAFE, 90),
        "huggingface": lambda: "hf_" + of(string.ascii_letters, 34),
        "google": lambda: "AIza" + of(URLSAFE, 35),
        "stripe": lambda: "sk_live_" + of(ALNUM, 24),
        "jwt": lambda: f"eyJ{of(URLSAFE, 30)}.{of(URLSAFE, 60)}.{of(URLSAFE, 43)}",
        "npm": lambda: "npm_" + of(ALNUM, 36),
        "pypi": lambda: "pypi-AgEIcHlwaS5vcmc" + of(URLSAFE, 80),
        "sendgrid": lambda: f"SG.{of(URLSAFE, 22)}.{of(URLSAFE, 43)}",
        "twilio": lambda: "SK" + of(HEX, 32),
        "telegram": lambda: f"{of('123456789', 9)}:AA{of(URLSAFE, 33)}",
        "nvidia": lambda: "nvapi-" + of(URLSAFE, 64),
        "databricks": lambda: "dapi" + of(HEX, 32),
        "groq": lambda: "gsk_" + of(ALNUM, 52),
        "vault": lambda: "hvs." + of(ALNUM, 90),
        "docker": lambda: "dckr_pat_" + of(URLSAFE, 27),
        "azure": lambda: "AccountKey=" + base64.b64encode(draw.randbytes(64)).decode(),
        "database": lambda: f"postgresql://app:{of(ALNUM, 14)}@db/{of(string.ascii_lowercase, 5)}",
        "bearer": lambda: "Authorization: Bearer " + of(ALNUM, 30),
        "password": lambda: "DB_PASSWORD=" + of(ALNUM, 12),
        "wandb": lambda: "WANDB_API_KEY=" + of(HEX, 40),
        "pem": lambda: f"-----BEGIN PRIVATE KEY-----\n{of(ALNUM, 64)}\n{of(ALNUM, 40)}\n-----END PRIVATE KEY-----",
    }
    return {kind: [form() for _ in range(EACH)] for kind, form in forms.items()}


def core(secret: str) -> str:
    """The part of it that must not be found anywhere: without the words around it."""
    for before in ("AccountKey=", "Authorization: Bearer ", "DB_PASSWORD=", "WANDB_API_KEY=", "postgresql://app:"):
        if secret.startswith(before):
            return secret.removeprefix(before).partition("@")[0]
    return secret.splitlines()[1] if "\n" in secret else secret
