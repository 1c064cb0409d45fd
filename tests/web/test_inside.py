"""Files below one folder, and nowhere else."""

import os

import pytest

from perfproof.core.errors import NothingMatched
from perfproof.web.inside import open_inside


@pytest.fixture
def root(tmp_path):
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "artifacts"
    (folder / "run" / "logs").mkdir(parents=True)
    (folder / "run" / "logs" / "a.log").write_text("fine")
    (folder / "run" / "link").symlink_to(tmp_path / "secret")
    (folder / "run" / "out").symlink_to(tmp_path)
    os.mkfifo(folder / "run" / "pipe")
    return folder


def test_a_file_is_opened(root):
    with open_inside(root, ["run", "logs", "a.log"]) as file:
        assert file.read() == b"fine"


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [""],
        ["..", "secret"],
        ["run", "..", "..", "secret"],
        ["run", ".", "logs", "a.log"],
        ["run/logs/a.log"],
        ["/etc/passwd"],
        ["", "etc", "passwd"],
        ["run", "link"],
        ["run", "out", "secret"],
        ["run", "logs"],
        ["run", "pipe"],
        ["run", "nothing"],
        ["run", "logs\0", "a.log"],
        ["run", "x" * 5_000],
    ],
)
def test_everything_else_is_not_there(root, steps):
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(NothingMatched, match="no such file"):
        open_inside(root, steps)
    assert len(os.listdir("/proc/self/fd")) == before, "nothing stays open"
