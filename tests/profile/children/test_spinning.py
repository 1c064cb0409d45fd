"""Loops that only ask are told from loops that compute, as they are written."""

import ast
import textwrap
from types import SimpleNamespace

import pytest

from perfproof.profile.children.spinning import SPINS, mark


def spins(text, line):
    """Whether a function with this loop, stopped at that line of it, asks again and again."""
    source = "def wait(self, queue, event, future, clock, n, data):\n" + textwrap.indent(textwrap.dedent(text), "    ")
    module = compile(source, "program.py", "exec")
    code = next(one for one in module.co_consts if hasattr(one, "co_code"))
    found = mark(SimpleNamespace(f_code=code), line + 1, ast.parse(source))
    assert found in ([], [f"{SPINS}wait (program.py:2)"])
    return bool(found)


ASKING = {
    "a flag": "while not self.ready:\n    pass",
    "an event": "while not event.is_set():\n    continue",
    "a result": "while True:\n    if future.done():\n        break",
    "a clock": "while clock.monotonic() < n:\n    pass",
    "a clock, by a name": "while True:\n    now = clock.time()\n    if now - self.start > n:\n        return",
    "items": "while True:\n    if self.items:\n        go(self.items.popleft())\n    elif self.end:\n        break",
    "a queue": "while True:\n    if not queue.empty():\n        self.take(queue.get())",
    "a queue that raises": "while True:\n    try:\n        queue.get_nowait()\n    except Empty:\n        pass",
    "a guard": "while not self.end or self.items:\n    if not self.items:\n        continue\n    go(self.items.pop())",
    "a process": "while self.process.poll() is None:\n    rounds += 1",
    "sleep without time": "while not self.ready:\n    clock.sleep(0)",
    "a lock": "while not self.lock.acquire(blocking=False):\n    pass",
}
COMPUTING = {
    "counting": "while n < 10:\n    n += 1",
    "a chain": "while n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1",
    "a search": "while data[n] != 7:\n    n += 1",
    "places that match": "while n < len(data):\n    if data[n] == 7:\n        self.take(n)\n    n += 1",
    "sums": "while True:\n    if self.x > n:\n        self.x -= n\n    else:\n        self.x += n",
    "a guard in a computation": "while n < 9:\n    n = data[n]\n    if n % 2:\n        continue\n    n = n + 1",
    "a heap": "while data:\n    item = heappop(data)\n    self.take(item)",
    "work": "while not event.is_set():\n    self.step()",
    "a wait": "while not event.is_set():\n    event.wait(0.1)",
    "a sleep": "while not self.ready:\n    clock.sleep(0.01)",
    "a queue that waits": "while True:\n    item = queue.get()\n    self.take(item)",
}


@pytest.mark.parametrize("text", ASKING.values(), ids=ASKING)
def test_a_loop_that_only_asks_spins(text):
    assert spins(text, 1)


@pytest.mark.parametrize("text", COMPUTING.values(), ids=COMPUTING)
def test_a_loop_that_computes_or_waits_does_not(text):
    assert not spins(text, 1)


def test_what_is_done_behind_a_condition_is_no_question():
    text = ASKING["items"]
    assert spins(text, 2) and not spins(text, 3) and spins(text, 4)


def test_a_loop_beside_it_and_a_file_that_is_not_there_are_none():
    assert not spins("while not self.ready:\n    pass\nself.work()", 3)
    code = compile("pass", "absent.py", "exec")
    assert mark(SimpleNamespace(f_code=code), 1, None) == []
