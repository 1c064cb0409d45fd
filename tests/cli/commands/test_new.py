import pytest

from perfproof.cli.app import main
from perfproof.cli.commands import new as module
from perfproof.core.errors import UsageError
from perfproof.pairs.contract import read_pair


def test_a_pair_is_written_and_the_next_command_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert module.command("fused_norm") == 0
    assert read_pair(tmp_path / "fused_norm.py", "fused_norm", "mine", own=True).variants == ("optimized",)
    assert capsys.readouterr().out.splitlines()[-1] == "next: perfproof run fused_norm.py"


def test_a_folder_may_be_given(tmp_path):
    module.command("fused_norm", folder=tmp_path)
    assert (tmp_path / "fused_norm.py").is_file()


def test_nothing_is_overwritten(tmp_path):
    module.command("fused_norm", folder=tmp_path)
    with pytest.raises(UsageError, match="exists and is left as it is"):
        module.command("fused_norm", folder=tmp_path)


def test_the_command_line_writes_and_refuses_with_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "fused_norm"]) == 0
    assert (tmp_path / "fused_norm.py").is_file()
    capsys.readouterr()
    assert main(["new", "Fused-Norm"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
