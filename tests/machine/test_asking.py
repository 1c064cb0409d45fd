from perfproof.machine.asking import ask_child


def test_a_child_runs_with_our_interpreter():
    assert ask_child("fork_answer").ok
