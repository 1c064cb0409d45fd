"""Where a verification goes: standard output, the run's folder, and the files that a CI system reads."""

import sys
from pathlib import Path

from perfproof.cli.output import document_text
from perfproof.cli.width import text_width
from perfproof.core.atomic import write_atomic
from perfproof.core.errors import UsageError
from perfproof.core.verification import Verification

DOCUMENT = "verify.json"  # in the folder of today's run


def write_files(found: Verification, artifacts_dir: str, junit: str | None, summary: str | None) -> None:
    from perfproof.report.verification import junit as verification_junit
    from perfproof.report.verification import summary as verification_summary

    if found.run:
        write_atomic(Path(artifacts_dir) / found.run / DOCUMENT, document_text(found) + "\n")
    try:
        if junit is not None:
            write_atomic(Path(junit), verification_junit.render(found))
        if summary is not None:
            with open(summary, "a", encoding="utf-8") as file:  # CI systems collect one file from several steps
                file.write(verification_summary.render(found))
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}; choose another file") from None


def show(found: Verification, as_json: bool) -> None:
    from perfproof.report.verification import table as verification_table

    sys.stdout.write(f"{document_text(found)}\n" if as_json else verification_table.render(found, text_width()))
    sys.stdout.flush()
