"""Take the intake form along: a copy, and its goal and KPI for the first lines of the report."""

from pathlib import Path
from typing import Any

from perfproof.core.errors import UsageError
from perfproof.triage.session import Session

MOST_BYTES = 1 << 20


def read_form(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"--intake {path}: is no plain file (a folder, device or pipe)")
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"--intake {path}: an intake form is one page; this file has more than a megabyte")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--intake {path}: cannot be read: {error}; `perfproof intake new` writes one") from None


def copy_form(session: Session, text: str) -> None:
    import yaml

    output = session.write("raw/intake.yaml", text)
    try:
        form = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        why = " ".join(str(error).split())[:300]
        session.add("intake", "Copy the intake form", "failed", f"{output} is kept, but it is no YAML: {why}")
        return
    session.goal, session.kpi = (_said(form, key) for key in ("goal", "kpi"))
    session.add("intake", "Copy the intake form", "ok", "" if session.goal else "the form names no goal")


def _said(form: Any, key: str) -> str:
    """A value of the form as one line; the KPI may stand under the goal."""
    if not isinstance(form, dict):
        return ""
    value = form.get(key)
    if key == "goal" and isinstance(value, dict):
        value = value.get("summary")
    if key == "kpi" and value is None and isinstance(form.get("goal"), dict):
        value = form["goal"].get("kpi")
    if isinstance(value, dict):
        value = ", ".join(f"{name}: {one}" for name, one in value.items() if not isinstance(one, (dict, list)))
    return " ".join(str(value).split())[:300] if value is not None else ""
