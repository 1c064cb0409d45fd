"""Threads that wait for a lock are marked if the one that holds it waits for a peer, a disk or a clock."""

import ast
import inspect
import sys
import threading
import time

import pytest

from perfproof.profile.children.line_calls import value_of
from perfproof.profile.children.thread_locks import HELD_IN, Looked, mark

TREE = ast.parse(inspect.getsource(sys.modules[__name__]))


class Cache:
    def __init__(self, make=threading.Lock):
        self.lock, self.changed, self.ended = make(), threading.Condition(), threading.Event()

    def ask(self):
        while not self.ended.is_set():
            time.sleep(0.005)

    def get(self):
        with self.lock:
            self.ask()

    def acquired(self):
        self.lock.acquire()
        try:
            pass
        finally:
            self.lock.release()

    def wait(self):
        with self.lock:
            self.ended.wait()


def looked_at(cache, *functions, holder_waits=True):
    """Start the first function's thread, then the others, and look at all of them once."""
    threads = []
    for function in functions:
        threads.append(threading.Thread(target=function, daemon=True))
        threads[-1].start()
        time.sleep(0.05)
    frames = sys._current_frames()
    looked = []
    for place, thread in enumerate(threads):
        frame, stack = frames[thread.ident], []
        while frame is not None:
            stack.append(frame)
            frame = frame.f_back
        own = [one for one in stack[::-1] if one.f_code.co_filename == __file__]
        looked.append(Looked(stack[::-1], own, holder_waits if place == 0 else True))
    found = mark(looked, lambda frame: frame.f_lineno, value_of, lambda _: TREE)
    cache.ended.set()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("make", [threading.Lock, threading.RLock])
def test_threads_behind_one_that_waits_are_marked_with_the_line_on_which_it_does(make):
    cache = Cache(make)
    found = looked_at(cache, cache.get, cache.get, cache.get, cache.acquired)
    assert set(found) == {1, 2, 3} and found[1].startswith(f"{HELD_IN}ask (test_thread_locks.py:")


def test_one_that_computes_meanwhile_or_is_waited_for_by_one_thread_only_is_no_such_holder():
    cache = Cache()
    assert looked_at(cache, cache.get, cache.get, cache.get, holder_waits=False) == {}
    alone = Cache()
    assert looked_at(alone, alone.get, alone.get) == {}


def test_one_that_waits_for_another_thread_is_none_either():
    cache = Cache()
    assert looked_at(cache, cache.wait, cache.get, cache.get) == {}


def test_a_semaphore_is_meant_to_hold_others_back():
    cache = Cache(lambda: threading.Semaphore(1))
    assert looked_at(cache, cache.get, cache.get, cache.get) == {}
