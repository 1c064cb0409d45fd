"""The command line itself: commands found in the folder, errors in one line, exit codes that mean something."""

import os
import subprocess
import sys

import pytest

from perfproof.cli import folder as command_folder
from perfproof.cli.front_page import GROUPS, OTHER
from perfproof.core.errors import NothingMatched, UnfitError

FIRST = '"""Say hello.\n\nMore."""\n'


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """A folder of commands made for the test: commands(hello="def command(): ...")."""
    import perfproof.cli.commands as package

    def write(**sources):
        folder = tmp_path / "commands"
        folder.mkdir()
        for name, source in sources.items():
            (folder / f"{name}.py").write_text(source)
            monkeypatch.delitem(sys.modules, f"perfproof.cli.commands.{name}", raising=False)
        monkeypatch.setattr(command_folder, "COMMANDS", folder)
        monkeypatch.setattr(package, "__path__", [str(folder)])

    return write


def test_help_lists_every_command_by_the_first_line_of_its_file(perfproof):
    shown = perfproof("--help")
    assert shown.code == 0
    for name, path in command_folder.command_files().items():
        assert f"  {name} " in shown.out
        assert command_folder.first_line(path) in shown.out


def test_help_groups_the_commands_by_task_with_one_short_line_each(perfproof):
    shown = perfproof("--help").out
    heads = [shown.index(f"\n{group}: ") for group in GROUPS]
    assert heads == sorted(heads) and f"\n{OTHER}\n" not in shown
    assert shown.index("  run ") < shown.index("  ab ") < shown.index("\nRead: ") < shown.index("  compare ")
    assert max(map(len, shown.splitlines())) <= 80


def test_a_command_that_names_no_group_stands_under_other(perfproof, commands):
    commands(hello=FIRST, run='"""Run."""\n\nPLACE = "Measure 1"\n', lost='"""Be lost."""\n\nPLACE = "Nowhere 1"\n')
    shown = perfproof("--help").out
    assert shown.index("  run ") < shown.index(f"\n{OTHER}\n") < shown.index("  hello  Say hello")
    assert shown.index(f"\n{OTHER}\n") < shown.index("  lost ")


@pytest.mark.parametrize("words", [["-h"], ["help"], ["help", "--help"]])
def test_help_has_several_spellings(perfproof, words):
    assert perfproof(*words).out == perfproof("--help").out


@pytest.mark.parametrize("name", sorted(command_folder.command_files()))
def test_every_command_has_help_by_h_and_by_help_command(perfproof, name):
    shown = perfproof(name, "--help")
    assert shown.code == 0 and f"perfproof {name}" in shown.out and "-h, --help" in shown.out
    assert perfproof(name, "-h").out == perfproof("help", name).out == shown.out


def test_help_of_a_second_level_and_of_an_unknown_command(perfproof):
    assert perfproof("help", "history", "trend").out == perfproof("history", "trend", "-h").out
    wrong = perfproof("help", "rum")
    assert wrong.code == 2 and "did you mean run?" in wrong.err


def test_no_arguments_show_the_help(perfproof):
    assert perfproof().out == perfproof("--help").out


def test_the_version_is_that_of_the_package(perfproof):
    from perfproof import __version__

    assert perfproof("--version").out == perfproof("-V").out == f"perfproof {__version__}\n"


def test_a_file_in_the_folder_is_a_command(perfproof, commands):
    commands(hello_world=FIRST + "def command(name: str = 'you') -> int:\n    print('hello', name)\n    return 7\n")
    assert "hello-world  Say hello" in perfproof("--help").out
    done = perfproof("hello-world", "--name", "me")
    assert (done.code, done.out) == (7, "hello me\n")


def test_listing_commands_imports_none_of_them(perfproof, commands):
    commands(broken=FIRST + "raise AssertionError('imported')\ndef command(): ...\n")
    assert "broken  Say hello" in perfproof("--help").out


def test_a_module_may_have_commands_of_its_own(perfproof, commands):
    commands(
        two=FIRST + "import typer\napp = typer.Typer(rich_markup_mode=None)\n"
        "@app.command()\ndef a() -> int:\n    return 4\n@app.command()\ndef b() -> None:\n    pass\n"
    )
    assert (perfproof("two", "a").code, perfproof("two", "b").code) == (4, 0)


@pytest.mark.parametrize("error", [UnfitError("no GPU; use --device cpu"), NothingMatched("no target\n 'x'")])
def test_a_refusal_is_one_line_with_its_exit_code(perfproof, monkeypatch, error):
    def refuse(name):
        raise error

    monkeypatch.setattr(command_folder, "load_command", refuse)
    refused = perfproof("run")
    assert (refused.code, refused.out) == (error.exit_code, "")
    assert refused.err == f"perfproof: {' '.join(str(error).split())}\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["rum"], "no command 'rum'; did you mean run? see perfproof --help"),
        (["bottlenecks"], "no command 'bottlenecks'; did you mean diagnose? see perfproof --help"),
        (["zzz"], "no command 'zzz'; see perfproof --help"),
        (["calc", "decode"], "no command 'decode'; did you mean goodput or roofline? see perfproof calc --help"),
        (["explain", "--loud", "x"], "no option --loud; see perfproof explain --help"),
        (["run", "--efort", "quick"], "no option --efort; did you mean --effort? see perfproof run --help"),
        (["--verison"], "no option --verison; did you mean --version? see perfproof --help"),
        (["--loud"], "no option --loud; see perfproof --help"),
        (
            ["completion"],
            "missing argument 'SHELL': Name of the shell: bash, zsh or fish; see perfproof completion --help",
        ),
        (["intake"], "missing command: new or check; see perfproof intake --help"),
        (["dashboard", "--port", "x"], "--port 'x' is no whole number; see perfproof dashboard --help"),
        (
            ["dashboard", "--port", "70000"],
            "--port 70000 is out of range: write 0 or more and at most 65535; see perfproof dashboard --help",
        ),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(perfproof, arguments, text):
    wrong = perfproof(*arguments)
    assert (wrong.code, wrong.err) == (2, f"perfproof: {text}\n")


def test_the_help_of_a_group_has_the_options_of_its_own_name_and_whole_lines_of_its_commands(perfproof):
    shown = perfproof("load", "--help").out
    assert "perfproof load [OPTIONS] SERVER | COMMAND" in shown and "--slo LIMITS" in shown
    assert "..." not in shown.partition("Commands:")[2]


def test_help_says_a_default_once_and_leaves_ranges_to_the_refusal(perfproof):
    shown = " ".join(perfproof("serve", "--help").out.split())
    of_blocks = shown.partition("--blocks N ")[2].partition(" --memory")[0]
    assert of_blocks.count("[default:") == 1 and of_blocks.endswith("fit]") and "x>=" not in shown


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["triage", "python", "train.py"], "triage"),
        (["profile", "python", "train.py"], "profile"),
        (["monitor", "ls", "-l"], "monitor"),
        (["monitor", "--hz", "5", "ls", "-l"], "monitor"),
    ],
)
def test_who_leaves_out_the_mark_before_a_program_is_told_where_it_goes(perfproof, arguments, name):
    wrong = perfproof(*arguments)
    assert wrong.code == 2 and wrong.err.count("\n") == 1
    assert f"; a command goes after --: perfproof {name} -- python train.py; see perfproof {name} --help" in wrong.err


@pytest.mark.parametrize(
    "arguments", [["monitor", "--loud"], ["triage", "--loud", "--", "ls"], ["rerun", "same", "ls"]]
)
def test_other_mistakes_get_no_such_hint(perfproof, arguments):
    wrong = perfproof(*arguments)
    assert wrong.code == 2 and "goes after --" not in wrong.err


def test_a_path_that_cannot_be_used_is_no_bug(perfproof, commands, tmp_path, monkeypatch):
    commands(make=FIRST + "import os\ndef command(path: str) -> None:\n    os.makedirs(path)\n")
    (tmp_path / "file").write_text("")
    refused = perfproof("make", "file/x")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "perfproof: file/x: not a directory; check this path and who may read and write it\n"
    assert perfproof("make", "file").err.startswith("perfproof: file: file exists; ")
    monkeypatch.setenv("PERFPROOF_DEBUG", "1")
    assert "Traceback" in perfproof("make", "file/x").err


def test_an_error_of_the_system_that_names_no_path_is_still_a_bug(perfproof, commands):
    commands(bad=FIRST + "import os\ndef command() -> None:\n    os.close(-1)\n")
    found = perfproof("bad")
    assert found.code == 1 and "a bug in perfproof: OSError" in found.err


def test_a_full_disk_is_no_bug(perfproof, commands):
    commands(full=FIRST + "def command() -> None:\n    raise OSError(28, 'No space left on device')\n")
    found = perfproof("full")
    assert found.code == 2 and "no space left on device: free some" in found.err


def test_a_bug_is_one_line_unless_the_traceback_is_asked_for(perfproof, commands, monkeypatch):
    commands(bug=FIRST + "def command() -> None:\n    {}['missing']\n")
    found = perfproof("bug")
    assert (found.code, found.err) == (
        1,
        "perfproof: a bug in perfproof: KeyError: 'missing'; PERFPROOF_DEBUG=1 shows where\n",
    )
    monkeypatch.setenv("PERFPROOF_DEBUG", "1")
    assert "Traceback" in perfproof("bug").err


def test_an_interrupt_is_exit_130_without_a_word(perfproof, commands):
    commands(wait=FIRST + "def command() -> None:\n    raise KeyboardInterrupt\n")
    stopped = perfproof("wait")
    assert (stopped.code, stopped.err) == (130, "")


def test_a_reader_that_goes_away_is_no_error():
    """`perfproof list | head -1`: the pipe is closed before all is written."""
    read, write = os.pipe()
    os.close(read)
    code = (
        "import sys; from perfproof.cli import app, folder;"
        "folder.load_command = lambda name: print('x' * 10**6);"
        "sys.exit(app.main(['run']))"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_python_dash_m_is_the_same_program():
    done = subprocess.run([sys.executable, "-m", "perfproof", "--version"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("perfproof ")
