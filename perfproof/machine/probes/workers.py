"""Workers: can a process fork and hear from its child, as warm parents do?"""

from perfproof.core.child import Answer
from perfproof.core.doctor import Finding
from perfproof.machine.asking import ask_child

GROUP, NEEDED = "measuring", True


def probe() -> Finding:
    return judge(ask_child("fork_answer"))


def judge(answer: Answer) -> Finding:
    if answer.ok:
        return Finding(name="worker processes", state="works", why="a fork answers over its pipe")
    if answer.why:
        return Finding(name="worker processes", state="unknown", why=answer.why)
    return Finding(
        name="worker processes", state="denied", why=f"fork fails: {answer.last_line}", fix="ulimit -u unlimited"
    )
