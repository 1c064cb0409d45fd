"""Ask a file of children/, run by our interpreter: what may crash, hang, or must not be loaded here."""

from pathlib import Path

from perfproof.core.child import SECONDS, Answer, ask, python

CHILDREN = Path(__file__).parent / "children"


def ask_child(name: str, seconds: float = SECONDS, environment: dict[str, str] | None = None) -> Answer:
    return ask(child(name), seconds, environment)


def child(name: str) -> list[str]:
    return [*python(), str(CHILDREN / f"{name}.py")]
