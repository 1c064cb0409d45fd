"""A server that a serve command starts: which texts are one, how its start is awaited, and how it ends."""

import http.client
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from perfproof.core.errors import UnfitError, UsageError
from perfproof.load import serve_command
from perfproof.load.serve_command import is_serve, options_of, served

LISTENS = (
    "import socket, time; s = socket.create_server(('127.0.0.1', 0)); "
    "print(f'http://127.0.0.1:{s.getsockname()[1]}/v1')"
)
WAITS = "time.sleep(99)"
ANSWERS = f"{LISTENS}; c, _ = s.accept(); c.recv(999); c.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\n'); {WAITS}"
SECONDS = 60.0


@pytest.fixture
def instead(monkeypatch):
    """Start a Python program in place of a server."""
    monkeypatch.setattr(serve_command, "LOOK", 0.01)

    def use(code):
        monkeypatch.setattr(serve_command, "_command", lambda options: [sys.executable, "-uc", code])

    return use


@pytest.mark.parametrize("text", ["serve --demo", " perfproof serve --demo", "perfproof serve", "serve\t--model x"])
def test_a_serve_command_is_one(text):
    assert is_serve(text)


@pytest.mark.parametrize(
    "text", ["serve", "./serve -q", "server --demo", "localhost:8000", "http://serve:80", "builtin"]
)
def test_a_program_or_a_host_of_that_name_is_none(text):
    assert not is_serve(text)


def test_options_reach_the_server_as_a_shell_would_split_them():
    assert options_of("perfproof serve --model 'my model' --random") == ["--model", "my model", "--random"]
    assert options_of("serve --name serve") == ["--name", "serve"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("serve --demo --port 80", "leave --port out"),
        ("serve --demo --port=80", "leave --port out"),
        ("serve --demo --host ::1", "leave --host out"),
        ("serve --demo --api-key x", "leave --api-key out"),
        ("serve --demo --name 'x", "cannot be split"),
    ],
)
def test_what_the_test_decides_itself_is_refused(text, why):
    with pytest.raises(UsageError, match=why):
        options_of(text)


def test_the_address_is_given_when_the_server_answers_and_the_server_ends_with_the_block(instead):
    instead(ANSWERS)
    said = []
    with served("serve --x", said.append) as address:
        host, _, port = address.partition(":")
        assert host == "127.0.0.1" and said == ["starting 'serve --x'; the test begins when it answers"]
        http.client.HTTPConnection(host, int(port)).connect()
    with pytest.raises(OSError):
        http.client.HTTPConnection(host, int(port)).connect()


@pytest.mark.parametrize(("code", "error"), [(2, UsageError), (1, UnfitError)])
def test_a_server_that_ends_at_once_is_an_error_with_its_last_words(instead, code, error):
    said = []
    instead(f"import sys; print('reading\\nperfproof: no such model', file=sys.stderr); sys.exit({code})")
    why = f"'serve --x' exited with {code} before it answered: no such model$"
    with pytest.raises(error, match=why), served("serve --x", said.append):
        raise AssertionError
    assert "  perfproof: no such model" not in said


def test_what_a_server_says_while_it_starts_is_passed_on(instead):
    said = []
    instead("import sys, time; print('step 1 of 9\\nready: x', file=sys.stderr); time.sleep(0.3); sys.exit(1)")
    with pytest.raises(UnfitError, match="step 1 of 9"), served("serve --x", said.append):
        raise AssertionError
    assert said[1:] == ["  step 1 of 9"]


@pytest.mark.parametrize("code", [f"{LISTENS}; {WAITS}", f"import time; {WAITS}"])
def test_a_server_that_does_not_answer_in_time_is_an_error(instead, monkeypatch, code):
    monkeypatch.setattr(serve_command, "START_SECONDS", 0.5)
    instead(code)
    with pytest.raises(UnfitError, match="did not answer within"), served("serve --x", lambda text: None):
        raise AssertionError


def test_a_server_that_ends_during_the_test_is_said(instead, monkeypatch):
    said, servers, start = [], [], serve_command._start
    monkeypatch.setattr(serve_command, "_start", lambda *given: servers.append(start(*given)) or servers[0])
    instead(ANSWERS.replace(WAITS, "import sys; sys.exit('out of memory')"))
    with served("serve --x", said.append):
        wait_until(lambda: servers[0].process.poll() is not None)
    assert said[-1] == "'serve --x' exited with 1 during the test: out of memory"


def test_the_server_gets_no_key_from_the_environment(instead, monkeypatch):
    monkeypatch.setenv("PERFPROOF_API_KEY", "k" * 20)
    instead("import os, sys; sys.exit('a key' if 'PERFPROOF_API_KEY' in os.environ else 'no key')")
    with pytest.raises(UnfitError, match="no key"), served("serve --x", lambda text: None):
        raise AssertionError


def test_the_server_ends_with_a_parent_that_is_killed(tmp_path):
    code = f"""
        import sys, time
        from perfproof.load import serve_command
        program = {ANSWERS.replace("s.accept()", "s.accept(); import os; open('pid', 'w').write(str(os.getpid()))")!r}
        serve_command._command = lambda options: [sys.executable, "-uc", program]
        with serve_command.served("serve --x", lambda text: None):
            print("answers", flush=True)
            time.sleep(99)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout.readline() == "answers\n"
        parent.send_signal(signal.SIGKILL)
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not is_running(pid))


def is_running(pid):
    """A zombie has ended; whoever inherited it may not have asked yet."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(happens):
    end = time.monotonic() + SECONDS
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
