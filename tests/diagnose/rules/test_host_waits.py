"""Lines that wait are named; helpers that idle, loaders and hosts of a GPU are not."""

import pytest

from perfproof.core.events import Events
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules import host_waits
from perfproof.diagnose.sampled import MAIN
from perfproof.profile.readers.kineto import UNTIMED
from tests.diagnose.building import Program
from tests.diagnose.test_sampled import on_cpu, stacks


def test_waiting_lines_are_named_and_take_the_time_off_other_work():
    lines = stacks("serve (server.py:8);[waits] 700", "serve (server.py:11);[aten::linear] 300")
    findings = diagnose(on_cpu(python=700).evidence(stacks=lines)).findings
    assert findings[0].rule == "host_waits" and "serve (server.py:8)" in findings[0].evidence[0].text
    assert all(one.confidence == "low" for one in findings if one.rule == "host_work")


def test_if_the_main_thread_only_waits_the_others_are_looked_at():
    lines = [
        "main (server.py:30);threading:join;[waits] 1000",
        "thread:a;handle (server.py:9);[waits] 900",
        "thread:b;handle (server.py:9);[waits] 800",
        "thread:b;handle (server.py:10) 300",
    ]
    found = host_waits.find(Evidence(stacks=stacks(*lines)))
    assert found.share == pytest.approx(1700 / 2000) and "handle (server.py:9)" in found.evidence[0].text


def test_threads_that_wait_beside_a_working_main_thread_are_idle_helpers():
    lines = ["main (train.py:3);[aten::mm] 1000", "thread:monitor;threading:wait;[waits] 1000"]
    assert host_waits.find(Evidence(stacks=stacks(*lines))) is None


def test_a_wait_for_the_workers_of_a_pool_is_none_but_one_for_a_queue_is():
    pool, queue = "multiprocessing.pool:map;threading:wait", "multiprocessing.queues:get"
    assert host_waits.find(Evidence(stacks=stacks(f"main (a.py:3);{pool};[waits] 900", "main (a.py:4) 100"))) is None
    found = host_waits.find(Evidence(stacks=stacks(f"main (a.py:3);{queue};[waits] 900", "main (a.py:4) 100")))
    assert found.share == pytest.approx(0.9)


@pytest.mark.parametrize(("working", "confidence"), [(1.8, "low"), (0.2, "high")])
def test_a_wait_for_processes_that_work_is_a_pointer_to_them(working, confidence):
    events = Events("kineto")
    threads = {"torch": 2.0, "cpus": 2.0, "can_run": 1.0, "worker_processes": 1.0, "processes": 3.0}
    events.about["perfproof_threads"] = {**threads, "processes_can_run": working}
    lines = stacks("main (a.py:3);multiprocessing.queues:get;[waits] 900", "main (a.py:4) 100")
    found = host_waits.find(Evidence(stacks=lines, tables=(("trace.json", events),)))
    assert found.confidence == confidence and ("--pid" in found.advice) == (confidence == "low")


@pytest.mark.parametrize(("busy", "confidence"), [(0.6, "medium"), (0.02, "low")])
def test_a_manager_that_is_busy_with_what_processes_ask_of_it_is_named(busy, confidence):
    events = Events("kineto")
    threads = {"torch": 2.0, "cpus": 2.0, "can_run": 1.0, "worker_processes": 1.0, "processes": 3.0}
    events.about["perfproof_threads"] = {**threads, "processes_can_run": 2.0, "managers_can_run": busy}
    lines = stacks("main (a.py:3);[runs] time.sleep(2);[waits] 900", "main (a.py:4) 100")
    found = host_waits.find(Evidence(stacks=lines, tables=(("trace.json", events),)))
    assert found.confidence == confidence and ("manager" in found.title) == (confidence == "medium")


@pytest.mark.parametrize(
    ("called", "working", "title"),
    [
        ("[runs] sock.recv_into(view, n)", 0.02, "both ends of a connection wait"),
        ("[runs] sock.recv_into(view, n)", 0.6, "the program waits and computes nothing"),
        ("[runs] queue.get();multiprocessing.connection:_recv", 0.02, "the program waits and computes nothing"),
    ],
)
def test_a_client_and_the_processes_that_it_started_may_all_wait(called, working, title):
    events = Events("kineto")
    threads = {"torch": 2.0, "cpus": 2.0, "can_run": 0.1, "worker_processes": 1.0, "processes": 1.0}
    events.about["perfproof_threads"] = {**threads, "processes_can_run": working}
    lines = stacks(f"ask (a.py:3);{called};[waits] 990", "ask (a.py:4) 10")
    assert host_waits.find(Evidence(stacks=lines, tables=(("trace.json", events),))).title == title


def test_waits_of_a_loader_and_beside_a_gpu_belong_to_other_rules():
    loader = stacks("main (train.py:3);torch.utils.data.dataloader:__next__;[waits] 900", "main (train.py:4) 100")
    assert host_waits.find(Evidence(stacks=loader)) is None
    program = Program(step=1000)
    for base in program.starts():
        program.kernel(base + 10, base + 990, launched=base)
    waits = stacks("main (train.py:3);torch.cuda:synchronize;[waits] 900", "main (train.py:4) 100")
    assert host_waits.find(program.evidence(stacks=waits)) is None


IDLE = "concurrent.futures.thread:_worker;[waits]"


def pool(work, idle, main="backup (b.py:99);[runs] time.sleep(0.2);[waits] 980"):
    own = [line for at in range(2) for line in (f"thread:w{at};{IDLE} {idle}", f"thread:w{at};run (b.py:57) {work}")]
    return Evidence(stacks=stacks(main, "backup (b.py:101) 20", *own))


def test_a_main_thread_that_sleeps_while_its_workers_wait_for_tasks_holds_them_up():
    found = host_waits.find(pool(work=100, idle=900))
    assert "workers have nothing to do" in found.title and found.evidence[0].place == "backup (b.py:99)"
    assert found.share == pytest.approx(0.98)


def test_one_that_sleeps_while_they_work_or_waits_for_them_does_not():
    assert host_waits.find(pool(work=900, idle=100)) is None
    waits = "backup (b.py:99);concurrent.futures._base:result;[waits] 980"
    found = host_waits.find(pool(work=100, idle=900, main=waits))
    assert found is None or "workers have nothing to do" not in found.title


def test_tasks_that_wait_for_one_lock_are_named_by_the_line_that_asks_for_it():
    queued = "[tasks wait for a lock] get (cache.py:77)"
    waits = [f"{queued};serve (g.py:32);[runs] await asyncio.sleep(d);[waits] 900", "main (g.py:9) 100"]
    found = host_waits.find(Evidence(stacks=stacks(*waits)))
    assert "one lock" in found.title and found.evidence[0].place == "get (cache.py:77)"
    seldom = [f"{queued};serve (g.py:32);[waits] 100", "serve (g.py:32);[waits] 800", "main (g.py:9) 100"]
    assert "one lock" not in host_waits.find(Evidence(stacks=stacks(*seldom))).title


HELD = "[threads wait for a lock held in] ask (c.py:9)"


def workers(queued, alone, names="abc"):
    """Threads that take turns: each waits for the lock, or holds it and waits for an answer."""
    lines = [f"{MAIN};main (c.py:30);threading:join;[waits] 1000"]
    for name in names:
        lines.append(f"thread:{name};{HELD};get (c.py:20);[runs] with self.lock: …;[waits] {queued}")
        lines.append(
            f"thread:{name};get (c.py:22);ask (c.py:9);[runs] stream.readline();socket:readinto;[waits] {alone}"
        )
    return Evidence(stacks=stacks(*lines))


def test_threads_that_wait_for_a_lock_whose_holder_waits_are_named_by_its_line():
    found = host_waits.find(workers(queued=700, alone=300))
    assert "one lock" in found.title and found.evidence[0].place == "ask (c.py:9)" and found.confidence == "high"


def test_threads_that_seldom_wait_for_a_lock_are_not():
    assert "one lock" not in host_waits.find(workers(queued=200, alone=800)).title
    assert "one lock" not in host_waits.find(workers(queued=900, alone=100, names="a")).title  # nobody else is held up


def test_an_event_loop_that_awaits_a_thread_of_its_pool_does_not_wait_for_nothing():
    awaits = f"{MAIN};visit (a.py:8);[runs] await reader.readline();[waits] 1000"
    works = stacks(awaits, "thread:pool;check (a.py:3);[runs] hashlib.scrypt(password) 500")
    assert host_waits.find(Evidence(stacks=works)) is None
    little = stacks(awaits, "thread:pool;check (a.py:3);[runs] hashlib.scrypt(password) 100")
    assert host_waits.find(Evidence(stacks=little)).share == pytest.approx(1.0)


@pytest.mark.parametrize(("can_run", "found"), [(1.4, True), (8.9, False)])
def test_a_wait_for_threads_of_a_library_that_compute_is_no_wait(can_run, found):
    events = Events("kineto")
    threads = {"torch": 16.0, "cpus": 16.0, "can_run": can_run, "worker_processes": 0.0}
    events.about["perfproof_threads"] = threads
    lines = stacks("query (a.py:3);threading:join;[waits] 900", "query (a.py:4) 100")
    evidence = Evidence(stacks=lines, tables=(("trace.json", events),))
    assert (host_waits.find(evidence) is not None) == found


def test_a_gpu_whose_times_are_missing_is_a_gpu():
    events = Events("kineto")
    events.unknown[UNTIMED] = "all are zero"
    lines = stacks("serve (a.py:3);torch.cuda:synchronize;[waits] 900", "serve (a.py:4) 100")
    assert host_waits.find(Evidence(stacks=lines, tables=(("trace.json", events),))) is None


def served(*lines, idle=800):
    """A GPU that is idle for most of each step: the host launches late."""
    program = Program(step=10_000)
    for base in program.starts():
        program.kernel(base + 10 * idle, base + 10_000, launched=base + 10 * idle - 10)
    return program.evidence(stacks=stacks(*lines))


ANSWERS = (
    "thread:b;handle (a.py:40);[runs] submit(rows).result();concurrent.futures._base:result;threading:wait;[waits] 900"
)
RUNS_MODEL = "thread:a;run (a.py:20);torch.nn.modules.module:_call_impl 150"
DELAY = "thread:a;run (a.py:18);collect (a.py:9);[runs] inbox.get(timeout=left);queue:get;threading:wait;[waits] 850"


def test_a_batch_that_waits_to_be_filled_while_clients_wait_is_told_before_idle_time():
    findings = diagnose(served("main (a.py:50);[runs] time.sleep(1);[waits] 1000", RUNS_MODEL, DELAY, ANSWERS)).findings
    assert findings[0].rule == "host_waits" and findings[0].confidence == "high" and "delay" in findings[0].advice
    assert findings[0].evidence[0].place == "collect (a.py:9)" and findings[0].share == pytest.approx(0.8)
    assert all(one.confidence == "low" for one in findings if one.rule in ("host_work", "gpu_idle"))


JOINS = "main (a.py:50);[runs] thread.join();threading:join;threading:wait;[waits] 1000"
FOREVER = DELAY.replace("timeout=left", "")
LISTENER = "thread:b;handle (a.py:30);[runs] stream.readline();socket:readinto;[waits] 1000"


@pytest.mark.parametrize("lines", [(JOINS, RUNS_MODEL, DELAY, LISTENER), (JOINS, RUNS_MODEL, FOREVER, ANSWERS)])
def test_a_server_without_requests_is_a_low_suspicion(lines):
    assert host_waits.find(served(*lines)).confidence == "low"


@pytest.mark.parametrize(
    "lines",
    [
        (RUNS_MODEL, DELAY, ANSWERS, "thread:c;tokenize (a.py:60);[python] 800"),
        (RUNS_MODEL, "thread:a;run (a.py:21);[runs] scores.cpu();[waits] 850", ANSWERS),
        (RUNS_MODEL, "thread:a;run (a.py:5);torch.utils.data.dataloader:__next__;queue:get;[waits] 850"),
    ],
)
def test_waits_for_the_gpu_for_a_loader_and_for_threads_that_work_are_left_to_their_rules(lines):
    assert host_waits.find(served(JOINS, *lines)) is None


def test_a_wait_beside_a_gpu_for_a_librarys_threads_is_left_to_their_rules():
    query = "main (a.py:9);[runs] tree.query(points, workers=-1);threading:join;[waits] 800"
    evidence = served(query, "main (a.py:5);[aten::mm] 200")
    assert host_waits.find(evidence).confidence == "low"
    threads = {"torch": 16.0, "cpus": 16.0, "can_run": 7.5, "worker_processes": 0.0}
    evidence.traces[0].events.about["perfproof_threads"] = threads
    assert host_waits.find(evidence) is None


def test_a_sleep_between_steps_is_told_and_may_be_on_purpose():
    found = host_waits.find(served("main (a.py:9);[runs] time.sleep(0.1);[waits] 800", "main (a.py:5);[aten::mm] 200"))
    assert found.confidence == "medium" and "main (a.py:9)" in found.evidence[0].text
    busy = served("main (a.py:9);[runs] time.sleep(0.1);[waits] 800", "main (a.py:5);[aten::mm] 200", idle=50)
    assert host_waits.find(busy) is None
