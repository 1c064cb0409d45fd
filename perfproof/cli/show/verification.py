"""Where a verification goes: standard output, the run's folder, and the files that a CI system reads."""

import json
import sys
from pathlib import Path

from perfproof.cli.width import text_width
from perfproof.core.atomic import write_atomic
from perfproof.core.errors import UsageError
from perfproof.core.verification import Verification

DOCUMENT = "verify.json"  # in the folder of today's run


def check_writable(*files: str | None) -> None:
    """Before minutes are spent on measuring: is there a folder to write each file into?"""
    for name in files:
        if name is not None and not Path(name).resolve().parent.is_dir():
            raise UsageError(f"cannot write {name}: there is no such folder; make it first")


def write_files(found: Verification, artifacts_dir: str, junit: str | None, summary: str | None) -> None:
    from perfproof.report import verification_junit, verification_summary

    if found.run:
        write_atomic(Path(artifacts_dir) / found.run / DOCUMENT, document_text(found))
    try:
        if junit is not None:
            write_atomic(Path(junit), verification_junit.render(found))
        if summary is not None:
            with open(summary, "a", encoding="utf-8") as file:  # CI systems collect one file from several steps
                file.write(verification_summary.render(found))
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}; choose another file") from None


def show(found: Verification, as_json: bool) -> None:
    from perfproof.report import verification_table

    sys.stdout.write(document_text(found) if as_json else verification_table.render(found, text_width()))
    sys.stdout.flush()


def document_text(found: Verification) -> str:
    return json.dumps(found.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
