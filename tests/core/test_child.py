"""Other programs are asked within a time, and nothing of them stays."""

import os
import sys
import time

from perfproof.core.child import Answer, ask, end, ending, last_line, start, waited


def test_what_a_program_says_is_kept_apart():
    answer = ask([sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"])
    assert (answer.code, answer.out, answer.err, answer.ok, answer.why) == (3, "out\n", "err\n", False, "")


def test_a_program_that_is_not_there_is_a_reason():
    assert ask(["/nowhere/ncu"]).why == "ncu cannot be started: No such file or directory"


def test_a_program_that_hangs_is_ended_with_all_it_started(tmp_path):
    """On a busy machine the program may be ended before it has started another: then it gets more time."""
    left = tmp_path / "pid"
    for seconds in (1.0, 10.0, 100.0):
        answer = ask(["sh", "-c", "sleep 600 & echo $! > $0.new; mv $0.new $0; sleep 600", str(left)], seconds=seconds)
        assert "did not answer within" in answer.why
        if left.exists():
            break
    end = time.monotonic() + 60
    while _runs(int(left.read_text())):
        assert time.monotonic() < end, "a process was left behind"
        time.sleep(0.05)


def _runs(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_programs_answer_in_english(monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert ask([sys.executable, "-c", "import os; print(os.environ['LC_ALL'])"]).out == "C\n"
    assert os.environ["LC_ALL"] == "de_DE.UTF-8"


def test_a_variable_that_is_none_is_taken_away_and_the_folder_is_the_one_that_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET", "x")
    code = "import os; print(os.environ.get('SECRET'), os.getcwd())"
    assert ask([sys.executable, "-c", code], environment={"SECRET": None}, cwd=tmp_path).out == f"None {tmp_path}\n"


def test_how_a_process_ended_is_said_in_words():
    assert (ending(3), ending(-11)) == ("exited with 3", "was killed by SIGSEGV")


def test_the_last_line_is_the_last_that_says_something():
    assert last_line("a\n  b  \n\n") == "b" and last_line(b"\xff\n") == "\ufffd" and last_line(" \n") == ""
    assert Answer(code=3, err="\n").last_line == "exit code 3"
    assert Answer(why="git did not answer within 1 s").last_line == "git did not answer within 1 s"


def test_a_process_gets_its_grace_before_it_is_killed():
    process = start([sys.executable, "-c", "import time; time.sleep(0.2)"])
    end(process, grace=60)
    assert process.returncode == 0
    process = start(["sleep", "600"])
    assert not waited(process, 0.05)
    end(process)
    assert process.returncode == -9
