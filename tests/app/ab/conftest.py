"""The project whose functions the tests compare."""

import pytest

from tests.app.ab.function_project import make_project


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository with `mypkg.work`, and `side` in its src folder; the current folder is below its top."""
    make_project(tmp_path)
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path
