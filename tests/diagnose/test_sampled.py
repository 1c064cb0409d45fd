"""Sampled stacks name lines: those that wait, those of a library whose work has a name, and other code."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events, Kind, Total
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules import host_waits, python_code
from tests.diagnose.building import Program

MAIN = "thread:MainThread"


def stacks(*lines):
    """`frame;frame 12` for the main thread; a line that begins with `thread:` is another one's."""
    events = Events("stacks")
    for line in lines:
        frames, _, count = line.rpartition(" ")
        path = tuple(frames.split(";"))
        events.totals.append(Total(path if path[0].startswith("thread:") else (MAIN, *path), {"samples": float(count)}))
    return (events,)


def on_cpu(python=100, step=1000):
    """Operators from `python` microseconds on, in every step."""
    program = Program(step=step)
    program.each_step(Kind.OPERATOR, "aten::linear", python, (python + step) / 2)
    program.each_step(Kind.OPERATOR, "aten::relu", (python + step) / 2, step)
    return program


def test_lines_that_call_operators_are_not_blamed_for_the_time_between_them():
    lines = ["forward (a.py:5) 450", "forward (a.py:5);[aten::mm] 550"]
    assert sampled.other_code(Evidence(stacks=stacks(*lines))) is None


def test_lines_that_a_loader_runs_are_told_from_lines_beside_it():
    lines = [
        "main (a.py:9);torch.utils.data.dataloader:__next__;__getitem__ (a.py:3);[aten::item] 300",
        "main (a.py:9);torch.utils.data.dataloader:__next__ 300",
        "main (a.py:9);__getitem__ (a.py:4) 300",
        "main (a.py:9);torch.utils.data.dataloader:__next__;fetch (a.py:5);[waits] 300",
    ]
    found = sampled.loading(Evidence(stacks=stacks(*lines)))
    assert found is not None and found.lines == (("__getitem__ (a.py:3)", 0.25),)
    assert sampled.loading(Evidence(stacks=stacks(*lines[1:]))) is None


@pytest.mark.parametrize("rule", [host_waits, python_code])
def test_without_such_stacks_or_with_too_few_the_rules_abstain(rule):
    other = Events("stacks")
    other.totals = [Total(("main", "sleep"), {"samples": 900.0})]
    for given in ((), (other,), stacks("main (a.py:1);[waits] 40")):
        assert isinstance(rule.find(Evidence(stacks=given)), Abstained)


@pytest.mark.parametrize(("model", "where"), [(MAIN, "serve (a.py:9)"), ("thread:worker", "poll (a.py:2)")])
def test_the_thread_that_computes_is_looked_at_even_if_it_mostly_waits(model, where):
    lines = [f"{MAIN};serve (a.py:9);[waits] 950", "thread:worker;poll (a.py:2);[waits] 300"]
    found = sampled.waits(Evidence(stacks=stacks(*lines, f"{model};model (a.py:5);[aten::mm] 20")))
    assert found.lines[0][0] == where


def test_a_client_that_waits_for_a_thread_of_the_same_program_is_not_looked_at():
    client = "client (a.py:9);concurrent.futures._base:result;threading:wait"
    lines = [
        f"{MAIN};main (a.py:20);threading:join 900",
        f"thread:client;{client} 900",
        f"thread:client;{client};[waits] 9",
    ]
    found = sampled.working_samples(Evidence(stacks=stacks(*lines, "thread:server;complete (a.py:5);[aten::mm] 300")))
    assert [sample.own for sample in found] == ["complete (a.py:5)"]
    assert sampled.working_samples(Evidence(stacks=stacks(*lines)))  # if all of them wait, they are all that is known


def test_gaps_of_a_trace_are_no_longer_than_the_stacks_have_outside_of_computing():
    lines = stacks(
        "forward (a.py:5) 200", "forward (a.py:5);[aten::mm] 650", "log (a.py:8) 100", "main (a.py:9);[waits] 50"
    )
    assert sampled.at_most(Evidence(stacks=lines), 0.4) == pytest.approx(0.15)
    assert sampled.at_most(Evidence(stacks=lines), 0.1) == 0.1 and sampled.at_most(Evidence(), 0.4) == 0.4


@pytest.mark.parametrize(("text", "where"), [("sock.recv(4)", "ask (a.py:9)"), ("time.sleep(1)", "answer (a.py:5)")])
def test_a_main_thread_that_waits_for_an_answer_is_looked_at_and_one_that_sleeps_is_not(text, where):
    main = f"{MAIN};ask (a.py:9);[runs] {text};[waits] 1000"
    listens = "thread:listener;serve (a.py:2);[runs] self.listener.accept();[waits] 1000"
    answers = "thread:handler;answer (a.py:5);[runs] sock.recv(4);[waits] 990"
    assert sampled.waits(Evidence(stacks=stacks(main, listens, answers))).lines == ((where, 1.0),)


@pytest.mark.parametrize(
    ("beside", "where"), [("infer (a.py:5);[aten::mm]", "infer (a.py:5)"), ("poll (a.py:2);[waits]", "score (a.py:9)")]
)
def test_an_event_loop_that_awaits_a_thread_that_computes_is_not_looked_at(beside, where):
    lines = stacks(f"{MAIN};score (a.py:9);[runs] await future;[waits] 1000", f"thread:pool;{beside} 900")
    assert {sample.own for sample in sampled.working_samples(Evidence(stacks=lines))} == {where}


def test_gaps_of_a_thread_that_waits_for_those_that_compute_say_nothing():
    main, model = f"{MAIN};main (a.py:9);threading:join 1000", "thread:server;forward (a.py:5);torch.nn.functional:gelu"
    assert sampled.at_most(Evidence(stacks=stacks(main, f"{model} 900")), 0.4) == 0.0
    seen = stacks(
        main, f"{model} 500", "thread:server;forward (a.py:5);[aten::mm] 400", "thread:server;log (a.py:2) 100"
    )
    assert sampled.at_most(Evidence(stacks=seen), 0.4) > 0.0


def test_a_comprehension_has_the_name_of_the_function_around_it():
    lines = stacks("main (a.py:9);table (a.py:2);<listcomp> (a.py:3);<lambda> (a.py:4) 300", "<genexpr> (a.py:1) 100")
    named = [sample.own for sample in sampled.working_samples(Evidence(stacks=lines))]
    assert named == ["table (a.py:4)", "<module> (a.py:1)"]


def test_imports_are_the_programs_start_and_nobodys_time():
    lines = stacks("<module> (a.py:1);importlib._bootstrap:_find_and_load 900", "main (a.py:5);[aten::mm] 400")
    assert [sample.own for sample in sampled.working_samples(Evidence(stacks=lines))] == ["main (a.py:5)"]


def test_queries_in_a_loop_are_named_and_one_long_query_is_not():
    line = "main (a.py:9);totals (a.py:3)"
    found = python_code.find(Evidence(stacks=stacks(f"{line};sqlite3:Connection 900", f"{line} 100")))
    assert found.confidence == "high" and "database" in found.title and found.evidence[0].place == "totals (a.py:3)"
    assert python_code.find(Evidence(stacks=stacks(f"{line} 1000"))) is None


def test_a_line_that_holds_the_lock_only_at_times_is_a_library_that_computes():
    python, library = "count (a.py:3)", "main (a.py:9)"
    lines = [f"{python};[python] 400", f"{python} 100", f"{library};[python] 200", f"{library} 300"]
    assert sampled.held(Evidence(stacks=stacks(*lines))).lines == (("count (a.py:3)", 0.4),)


def test_a_client_of_a_server_in_the_same_program_waits_for_it_and_one_of_another_program_for_that():
    asks = "score (a.py:9);[runs] self.connection.getresponse();http.client:getresponse;socket:readinto"
    main = f"{MAIN};{asks};[waits] 990"
    server = "thread:handler;answer (a.py:5);torch.serialization:load"
    own = sampled.working_samples(Evidence(stacks=stacks(main, f"{server} 450")))
    assert {sample.own for sample in own} == {"answer (a.py:5)"}
    other = sampled.working_samples(Evidence(stacks=stacks(main, f"{server} 100")))
    assert {sample.own for sample in other} == {"score (a.py:9)"}


def test_both_ends_of_a_connection_in_one_program_may_wait():
    asks = "get (a.py:9);[runs] response.read();http.client:read;socket:readinto"
    waits = "thread:server;http.server:handle;http.server:handle_one_request;socket:readinto"
    found = sampled.delayed_connection(Evidence(stacks=stacks(f"{MAIN};{asks};[waits] 990", f"{waits};[waits] 980")))
    assert found.lines[0][0] == "get (a.py:9)"
    works = "thread:server;http.server:handle;do_GET (a.py:2)"
    for server in (f"{works} 900", f"{works};sleep (a.py:3);[runs] time.sleep(1);[waits] 990", "thread:x;[waits] 990"):
        lines = stacks(f"{MAIN};{asks};[waits] 990", server)
        assert sampled.delayed_connection(Evidence(stacks=lines)) is None


FEEDER = "thread:Thread-2 (_handle_tasks);multiprocessing.pool:_handle_tasks;multiprocessing.connection:send"


@pytest.mark.parametrize(("runs", "found"), [(0, False), (600, True)])
def test_the_thread_that_feeds_a_pool_counts_if_it_works(runs, found):
    """If it waits, the processes have tasks enough; if it runs, what it sends is large."""
    waiting = "main (a.py:9);multiprocessing.pool:next;threading:wait;[waits] 1000"
    lines = stacks(waiting, f"{FEEDER};[waits] {1000 - runs}", *[f"{FEEDER} {runs}"] * bool(runs))
    named = sampled.named_work(Evidence(stacks=lines))
    assert (named is not None and named.kind.what == "sending objects to other processes") == found


def test_a_loader_whose_workers_are_started_for_every_pass_starts_processes():
    begins = "train (a.py:3);torch.utils.data.dataloader:__iter__;torch.utils.data.dataloader:_get_iterator"
    lines = [f"{begins};torch.utils.data.dataloader:_reset 400", "train (a.py:5);[aten::mm] 600"]
    named = sampled.named_work(Evidence(stacks=stacks(*lines)))
    assert named is not None and named.kind.what == "starting and ending processes" and named.share == 0.4
    own = f"{begins};torch.utils.data.dataloader:_reset;__iter__ (sampler.py:7) 400"
    assert sampled.named_work(Evidence(stacks=stacks(own, lines[1]))) is None


def test_one_long_statement_of_a_database_is_told_from_many_short_ones():
    for mark, what in (("[one call] ", "long statements of a database"), ("", "queries of a database, one by one")):
        found = sampled.named_work(Evidence(stacks=stacks(f"main (a.py:9);{mark}sqlite3:Connection 900")))
        assert found.kind.what == what and found.kind.may_be_due == bool(mark)


def test_a_servers_thread_per_client_only_waits_beside_one_that_works():
    clients = [f"thread:client-{at};threading:run;answer (s.py:4);socket:recv_into;[waits] 1000" for at in range(3)]
    works = "thread:rank;threading:run;rank (s.py:20);[python] 900"
    main = "main (s.py:40);threading:join;[waits] 1000"
    found = sampled.working_samples(Evidence(stacks=stacks(main, works, *clients)))
    assert {one.own for one in found} == {"rank (s.py:20)"}
    assert host_waits.find(Evidence(stacks=stacks(main, works, *clients))) is None
    alone = sampled.working_samples(Evidence(stacks=stacks(main, *clients)))
    assert {one.own for one in alone} == {"answer (s.py:4)"}


TALK = (
    "thread:server;threading:run;serve (s.py:4);[runs] conn.recv(4);[waits] 980",
    "thread:listens;threading:run;listen (s.py:9);[runs] sock.accept();[waits] 1000",
)


def test_both_ends_may_be_the_programs_own_code():
    client = "ask (s.py:30);[runs] conn.recv(4);[waits] 970"
    found = sampled.delayed_connection(Evidence(stacks=stacks(client, *TALK)))
    assert found is not None and {line for line, _ in found.lines} == {"ask (s.py:30)", "serve (s.py:4)"}
    works = "thread:server;threading:run;serve (s.py:5) 500"
    assert sampled.delayed_connection(Evidence(stacks=stacks(client, works, *TALK))) is None
    sleeps = "thread:slow;threading:run;slow (s.py:7);[runs] time.sleep(1);[waits] 900"
    assert sampled.delayed_connection(Evidence(stacks=stacks(client, sleeps, *TALK))) is None
