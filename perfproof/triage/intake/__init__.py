"""The intake form: `new_form(hardware)` writes the page, `check_text(text, folder)` says what is wrong with one."""

from perfproof.triage.intake.checking import Checked, check_text
from perfproof.triage.intake.form import new_form
from perfproof.triage.intake.problems import Problem

__all__ = ["Checked", "Problem", "check_text", "new_form"]
