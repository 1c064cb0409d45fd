"""memray: allocations of a Python program, native ones too. Tried on an empty program."""

import tempfile
from pathlib import Path

from perfproof.core.doctor import Finding
from perfproof.machine import asking, software

GROUP = "profilers"
NAME = "memray"


def probe() -> Finding:
    version = software.version_of(NAME)
    if version is None:
        return Finding(name=NAME, state="absent", why="memray is not installed", fix="pip install memray")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "nothing.py")
        program.write_text("pass\n")
        record = Path(folder, "record.bin")
        tried = asking.ask([*asking.python(), "-m", "memray", "run", "-q", "-o", str(record), str(program)])
        return judge(tried, record.exists()).model_copy(update={"version": version})


def judge(answer: asking.Answer, recorded: bool) -> Finding:
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    if answer.ok and recorded:
        return Finding(name=NAME, state="works", why="an empty program was recorded")
    return Finding(name=NAME, state="denied", why=answer.last_line, fix="pip install --force-reinstall memray")
