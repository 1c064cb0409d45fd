"""A forked program is as one that was started: its files, folder, variables, exit code, and whose child it is."""

import os
import signal
import subprocess
import sys

import pytest

from perfproof.bench.run import worker_environment
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts

SHOWN = "import os, sys; print(os.getcwd(), os.environ['SEEN'], sys.argv[1:], __name__, sys.stdin.read())"


@pytest.fixture
def run(warm_python, tmp_path):
    def run(text, *arguments, **settings):
        (tmp_path / "program.py").write_text(text)
        command = [sys.executable, "-P", str(tmp_path / "program.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, **settings)

    return run


def test_it_has_its_arguments_variables_folder_and_input(run, warm_python, tmp_path):
    before = warm_python.forked
    done = run(SHOWN, "a b", cwd=tmp_path, env={**os.environ, "SEEN": "here"}, input="given")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{tmp_path} here ['a b'] __main__ given\n", "")
    assert warm_python.forked == before + 1


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no room')", 1, "no room"),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
    ],
)
def test_its_end_is_its_own(run, text, code, said):
    done = run(text)
    assert done.returncode == code and said in done.stderr


def test_what_torch_sets_itself_does_not_end_the_forking(run, warm_python, monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    before = warm_python.forked
    assert run("import os; print(os.environ['TORCHINDUCTOR_CACHE_DIR'])").stdout == f"{tmp_path}\n"
    monkeypatch.setenv("OMP_NUM_THREADS", "2")  # MKL takes no more than there are cores
    assert run("import torch; print(torch.get_num_threads())").stdout == "2\n"
    assert warm_python.forked == before + 1


@pytest.mark.parametrize(("more", "is_fork"), [({}, True), ({"OMP_NUM_THREADS": "3"}, False)])
def test_a_program_that_becomes_another_module_is_not_started_anew_unless_that_could_be_seen(
    run, tmp_path, more, is_fork
):
    (tmp_path / "other.py").write_text(
        "import os, sys; print(os.environ['GIVEN'], 'torch' in sys.modules, os.getpid())"
    )
    become = "os.execve(sys.executable, [sys.executable, '-m', 'other'], os.environ | given)"
    done = run(
        f"import os, sys; given = {dict(GIVEN='1', **more)}; print(os.getpid(), flush=True); {become}", cwd=tmp_path
    )
    first, given, has_torch, then = done.stdout.split()
    assert (given, has_torch, first) == ("1", str(is_fork), then), done.stderr


def test_code_and_modules_are_run_too(warm_python):
    before = warm_python.forked
    told = subprocess.run([sys.executable, "-c", "import sys; print(sys.argv, __name__)", "x"], capture_output=True)
    assert told.stdout == b"['-c', 'x'] __main__\n"
    said = subprocess.run([sys.executable, "-P", "-m", "perfproof", "--version"], capture_output=True)
    assert said.stdout.startswith(b"perfproof ") and warm_python.forked == before + 2


def test_it_is_a_child_of_this_process_and_can_be_killed_with_its_group(run, warm_python, tmp_path):
    (tmp_path / "waits.py").write_text("import os, time; print(os.getppid(), flush=True); time.sleep(60)")
    command = [sys.executable, str(tmp_path / "waits.py")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert int(process.stdout.readline()) == os.getpid()
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()


def test_modules_are_found_in_the_folders_of_its_own_pythonpath_and_left_uncompiled(run, warm_python, tmp_path):
    before = warm_python.forked
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "where.py").write_text(f"print({name!r})")
    for name in ("one", "other"):
        variables = {"PYTHONPATH": f"{tmp_path / name}{os.pathsep}{tmp_path / 'one'}", "PYTHONDONTWRITEBYTECODE": "1"}
        assert run("import where", env={**os.environ, **variables}).stdout == f"{name}\n"
    assert warm_python.forked == before + 2 and not list(tmp_path.rglob("*.pyc"))


def test_variables_that_are_read_at_the_start_have_it_really_started(run, warm_python):
    before = warm_python.forked
    text = "import sys; print(sys.flags.utf8_mode)"
    assert run(text, env={**os.environ, "PYTHONUTF8": "1"}).stdout == "1\n"
    assert warm_python.forked == before


def test_interpreters_of_a_run_are_forked_though_each_has_another_hash_seed(warm_interpreters):
    environment = {**worker_environment(RunOptions(), read_facts("cpu")), "PYTHONHASHSEED": "1", "SEEN": "here"}
    before = warm_interpreters.forked
    for changed, forked in (({}, 1), ({"OMP_NUM_THREADS": "3"}, 1)):
        shown = [sys.executable, "-c", "import os; print(os.environ['SEEN'])"]
        assert subprocess.run(shown, env=environment | changed, capture_output=True).stdout == b"here\n"
        assert warm_interpreters.forked == before + forked
