"""What sampled stacks say: the lines of a program that take time outside of operators, and those that wait.

Only stacks that `perfproof profile` took beside a trace are read: they tell operators and waits apart.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfproof.core.events import Events
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.kinds_of_work import COMPILING, MATCHING, STARTING, Kind, kind_of
from perfproof.diagnose.wording import percent, short
from perfproof.profile.children.awaited import QUEUES
from perfproof.profile.children.running_text import GROWS, RUNS
from perfproof.profile.children.sampling import ASKS, LATE, SAME
from perfproof.profile.children.spinning import SPINS
from perfproof.profile.children.thread_locks import HELD_IN
from perfproof.profile.sampled_stacks import HELD, THREAD, WAITS

MAIN = f"{THREAD}MainThread"
LEAST_MS = 100.0  # in all: with less there are too few samples
ONLY_WAITS = 0.9  # of the main thread's time: then others do the work
SLOW_ON_PURPOSE = re.compile(r"\b(scrypt|pbkdf2\w*|bcrypt|checkpw|hashpw|argon2\w*)\b")  # a password is checked anew
ANSWERS = 0.3  # of the time that the main thread waits for a connection: another thread is at its other end
BUSY = 0.5  # of the time that the busiest other thread works: with less a library's own thread only helps
KEEPS, HOLDS = 0.5, 0.2  # of its time, that a thread works that keeps the lock; of that, that it is seen to hold it
IN_QUEUE = 0.10  # of their time, that threads wait for the interpreter's lock
HELD_MOSTLY = 0.5  # of a line's time
SERVES = ("http.server:handle", "socketserver:process_request", "socketserver:finish_request")
SPINS_MOSTLY, SPINS_LONG = 0.5, 0.2  # of a thread's time; of the longest thread's
LISTED = 3
MORE = 1.2  # times the first line's share: with less a whole function says nothing new
IMPORTING = "importlib._bootstrap"
LOADER = "torch.utils.data"
POOLS = ("multiprocessing.pool:", "concurrent.futures.")
BLOCKING = ("threading:wait", "threading:join", "threading:_wait", "queue:", "concurrent.futures._base:")
LISTENS = re.compile(r"\b(accept|select|poll|serve_forever|handle_request)\(")
LEAVES = re.compile(rf"{LISTENS.pattern}|\b(sleep|pause|wait|wait_for|join|get|result|input|map|as_completed)\(")
OWN = re.compile(r"(?!\[)(?P<function>.+) \((?P<file>.+):(?P<line>\d+)\)")
OPERATOR = re.compile(r"\[(aten|autograd|torch|[a-z0-9_]+)::.*\]|\[.*[Bb]ackward.*\]|\[Optimizer.*\]")
CONNECTIONS = ("socket:", "ssl:", "http.client:", "selectors:", "multiprocessing.connection:")
SLEEPS, IDLE_MOSTLY = re.compile(r"\bsleep\("), 0.5  # of a thread's time
RECEIVES = re.compile(r"\.(recv\w*|getresponse|urlopen)\(")
UNNAMED = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<lambda>"})
MODULE = "torch.nn.modules.module:_call_impl"
FRAMEWORK = ("torch.",)  # calls of it are the framework's time, except those of KINDS


@dataclass(frozen=True)
class Sample:
    """A stack and the milliseconds that it took."""

    frames: tuple[str, ...]
    milliseconds: float

    @property
    def waits(self) -> bool:
        return self.frames[-1] == WAITS

    @property
    def is_blocked(self) -> bool:
        """Does it wait for what other threads do? A line that waits for another program does not."""
        return self.for_thread or (self.waits and (not self.text or LEAVES.search(self.text) is not None))

    @property
    def awaits(self) -> bool:
        return self.waits and self.text.startswith("await ")

    @property
    def for_peer(self) -> bool:
        """Does it wait for what the other end of a connection sends?"""
        return self.waits and (self.innermost.startswith(CONNECTIONS) or RECEIVES.search(self.text) is not None)

    @property
    def in_queue(self) -> bool:
        """Does it wait for the interpreter's lock?"""
        return self.waits and ASKS in self.frames and not (self.for_thread or self.for_peer or self.awaits)

    @property
    def serves(self) -> bool:
        """Is it the thread of a server of the standard library, beneath what takes a request?"""
        return any(frame.startswith(SERVES) for frame in self.frames)

    @property
    def is_idle(self) -> bool:
        """Does it wait for another thread of the program, or for a client?"""
        return self.for_thread or (self.waits and LISTENS.search(self.text) is not None)

    @property
    def for_thread(self) -> bool:
        """Does it wait for another thread of the program?"""
        return self.innermost.startswith(BLOCKING)

    @property
    def awaits_task(self) -> bool:
        """Does a worker of a pool wait for something to do?"""
        return self.waits and not self.own and self.innermost.startswith((*POOLS, *BLOCKING))

    @property
    def holds(self) -> bool:
        return self.frames[-1] == HELD

    @property
    def late(self) -> bool:
        """Whether callbacks of an event loop wait for this one."""
        return LATE in self.frames

    @property
    def repeats(self) -> str:
        """The function that is called again with arguments that it had before; empty if none is."""
        return next((frame.removeprefix(SAME) for frame in self.frames if frame.startswith(SAME)), "")

    @property
    def in_operator(self) -> bool:
        return OPERATOR.fullmatch(self.frames[-1]) is not None

    @property
    def kind(self) -> Kind | None:
        """What kind of work it is, by the outermost call that has a kind: a copy inside of logging is logging."""
        kind = next((kind for frame in self.frames if (kind := kind_of(frame)) is not None), None)
        if kind is STARTING and _in_loader(
            self
        ):  # a loader that is asked for its first batch may run the program's own
            return None
        compiles = kind is MATCHING and any(frame.startswith(COMPILING.begins) for frame in self.frames)
        return COMPILING if compiles else kind

    @property
    def own(self) -> str:
        """The innermost line of the program itself; of work that has a name, the line that called it.

        Its function is the one that was written: a comprehension has the name of the function around it.
        """
        kind, frames = self.kind, self.frames
        if kind is not None:
            frames = frames[: next(place for place, frame in enumerate(frames) if kind_of(frame) is not None)]
        lines = [found for frame in frames if (found := OWN.fullmatch(frame))]
        if not lines:
            return ""
        function = next((line["function"] for line in reversed(lines) if line["function"] not in UNNAMED), "<module>")
        return f"{function} ({lines[-1]['file']}:{lines[-1]['line']})"

    @property
    def text(self) -> str:
        """What runs of the program's innermost line, as it is written."""
        return next((frame.removeprefix(RUNS) for frame in self.frames if frame.startswith(RUNS)), "")

    def line_with(self, mark: str) -> str:
        """What sampling wrote behind this mark; empty if the sample has none."""
        return next((frame.removeprefix(mark) for frame in self.frames if frame.startswith(mark)), "")

    @property
    def on_own_line(self) -> bool:
        """Whether the innermost function is the program's: it may call one in C, but none of a library."""
        frames = [frame for frame in self.frames[:-1] if not frame.startswith(RUNS)]
        return bool(frames) and OWN.fullmatch(frames[-1]) is not None

    @property
    def innermost(self) -> str:
        """The last function before the mark, for stacks without a line of the program: a thread of a library."""
        return next((frame for frame in reversed(self.frames) if not frame.startswith("[")), self.frames[0])

    @property
    def in_forward(self) -> bool:
        """Whether a module of torch calls the innermost line."""
        places = [place for place, frame in enumerate(self.frames) if OWN.fullmatch(frame)]
        return any(frame.startswith(MODULE) for frame in self.frames[: places[-1] if places else 0])

    @property
    def in_framework(self) -> bool:
        """Whether the innermost line has called the framework."""
        places = [place for place, frame in enumerate(self.frames) if OWN.fullmatch(frame)]
        return any(frame.startswith(FRAMEWORK) for frame in self.frames[places[-1] + 1 if places else 0 :])


def samples_by_thread(evidence: Evidence) -> dict[str, list[Sample]]:
    """Without the program's start."""
    by_thread: dict[str, list[Sample]] = defaultdict(list)
    for path, milliseconds in _stacks(evidence.stacks):
        if not any(frame.startswith(IMPORTING) for frame in path):
            by_thread[path[0]].append(Sample(path[1:], milliseconds))
    return by_thread


def working_samples(evidence: Evidence) -> list[Sample]:
    """Samples of the main thread. If it only waits, those of the busiest other threads. If there are too few, none.

    Other threads that only wait for threads, as clients of a server in the same program do, or for a connection are
    left out; if one thread works most of its time, so are those that only wait for a peer: a server's thread per
    client. If all of them do, those count that work most beside. A pool's own threads that only wait are left out: its
    processes have tasks enough.
    A main thread that computes, if no other one does, is looked at however long it waits. What an event loop awaits may
    be the work of another thread that computes, and what comes over a connection that of a server in this program.
    """
    by_thread = {thread: own for thread, own in samples_by_thread(evidence).items() if not _only_feeds(own)}
    main = by_thread.pop(MAIN, [])
    works = {thread: _total([sample for sample in own if not sample.waits]) for thread, own in by_thread.items()}
    most = max(works.values(), default=0.0)
    busy = [
        own for thread, own in by_thread.items() if works[thread] >= BUSY * most or any(sample.own for sample in own)
    ]
    one_works = any(works[thread] >= BUSY * _total(own) for thread, own in by_thread.items())
    asked = [own for own in busy if _share([one for one in own if _is_idle(one, one_works)], own) <= ONLY_WAITS]
    working = [own for thread, own in by_thread.items() if works[thread] >= BUSY * most > 0]
    others = [sample for own in asked or working or busy for sample in own]
    alone = _computes(main) and not _computes(others)
    # What an event loop awaits may be what a thread works on.
    awaits = _computes(others) or most >= ANSWERS * _total([sample for sample in main if sample.awaits]) > 0
    answers = most >= ANSWERS * _total([sample for sample in main if sample.for_peer])
    blocked = _share(
        [sample for sample in main if sample.is_blocked or (awaits and sample.awaits) or (answers and sample.for_peer)],
        main,
    )
    chosen = others if others and blocked > ONLY_WAITS and not alone else main
    return chosen if _total(chosen) >= LEAST_MS else []


@dataclass(frozen=True)
class Lines:
    """Lines of the program, with the share of the time that each takes, and what they do if that has a name."""

    share: float
    lines: tuple[tuple[str, float], ...]
    kind: Kind | None = None
    texts: tuple[str, ...] = ()  # of each line, the part that runs most

    def listed(self) -> str:
        """Each line with its share, and what runs of it as it is written."""
        texts = (*self.texts, *[""] * LISTED)
        shown = zip(self.lines[:LISTED], texts, strict=False)
        return ", ".join(f"{short(line)} {percent(share)}{f' `{text}`' * bool(text)}" for (line, share), text in shown)

    def functions(self) -> str:
        """Functions with the shares of all of their own lines, if one has more than the first line; else empty."""
        shares: Counter[str] = Counter()
        for line, share in self.lines:
            shares[line.rpartition(":")[0] + ")" if OWN.fullmatch(line) else line] += share  # type: ignore[assignment]
        most = shares.most_common(LISTED)
        if not most or most[0][1] <= MORE * self.lines[0][1]:
            return ""
        return ", ".join(f"{short(function)} {percent(share)}" for function, share in most)


def waits(evidence: Evidence) -> Lines | None:
    """Lines that wait, without the waits of a loader, of collectives and for the workers of a pool."""
    samples = working_samples(evidence)
    found = [sample for sample in samples if sample.waits and sample.kind is None and not _has_own_rule(sample)]
    return _lines(found, samples)


def named_work(evidence: Evidence) -> Lines | None:
    """The kind of work that takes most of the time, operators beneath it included: printing a tensor runs some."""
    samples = working_samples(evidence)
    by_kind: dict[Kind, list[Sample]] = defaultdict(list)
    for sample in samples:
        if sample.kind is not None:
            by_kind[sample.kind].append(sample)
    kind = max(by_kind, key=lambda one: _total(by_kind[one]), default=None)
    return None if kind is None else _lines(by_kind[kind], samples, kind)


def repeated_calls(evidence: Evidence) -> tuple[str, Lines] | None:
    """The function that is called again with the same arguments for the longest time, and the lines in which it is."""
    name, found = _most_repeated(evidence)
    lines = _lines(found, working_samples(evidence))
    return None if lines is None else (name, lines)


def repeats_in_loader(evidence: Evidence) -> float:
    """How much of the time that function takes where a loader calls it."""
    return _share([one for one in _most_repeated(evidence)[1] if _in_loader(one)], working_samples(evidence))


def _most_repeated(evidence: Evidence) -> tuple[str, list[Sample]]:
    by_function: dict[str, list[Sample]] = defaultdict(list)
    for sample in working_samples(evidence):
        due = sample.waits or SLOW_ON_PURPOSE.search(sample.text) or (sample.kind and sample.kind.has_effect)
        if sample.repeats and not due:
            by_function[sample.repeats].append(sample)
    name = max(by_function, key=lambda one: _total(by_function[one]), default="")
    return name, by_function.get(name, [])


def growing(evidence: Evidence, mark: str) -> tuple[str, Lines] | None:
    """The line with such a mark of growth for the longest time, and where the program is meanwhile."""
    samples = working_samples(evidence)
    by_text: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        if (text := sample.line_with(mark)) and not sample.waits and not (mark == GROWS and sample.in_operator):
            by_text[text].append(sample)
    text = max(by_text, key=lambda one: _total(by_text[one]), default="")
    lines = _lines(by_text[text], samples) if text else None
    return None if lines is None else (text, lines)


def main_lines(evidence: Evidence) -> Lines | None:
    """The main thread's lines, whether they work or wait: what threads of a library do, the program asked for there."""
    samples = samples_by_thread(evidence).get(MAIN, [])
    return _lines([sample for sample in samples if sample.own], samples)


def queues_for_lock(evidence: Evidence) -> Lines | None:
    """Where tasks of an event loop wait for a lock that another one holds while it awaits something itself."""
    threads = samples_by_thread(evidence).values()
    every = [(one, one.line_with(QUEUES)) for own in threads for one in own]
    samples = max(threads, key=lambda own: _total([one for one in own if one.line_with(QUEUES)]), default=[])
    spent: Counter[str] = Counter()
    for one, line in every:
        if line:
            spent[line] += one.milliseconds  # type: ignore[assignment]
    whole = _total(samples)
    if whole < LEAST_MS or not spent:
        return None
    lines = tuple((line, milliseconds / whole) for line, milliseconds in spent.most_common())
    return Lines(min(1.0, spent.total() / whole), lines)


def threads_in_line(evidence: Evidence) -> Lines | None:
    """Where a thread waits for something while it holds a lock for which others wait, on average more than one.

    Shares are of the time of the threads that wait for it at times; a thread that holds it meanwhile does not.
    """
    threads = [own for own in samples_by_thread(evidence).values() if any(one.line_with(HELD_IN) for one in own)]
    spent: Counter[str] = Counter()
    for one in (sample for own in threads for sample in own):
        if line := one.line_with(HELD_IN):
            spent[line] += one.milliseconds  # type: ignore[assignment]
    longest = max(map(_total, threads), default=0.0)
    if longest < LEAST_MS or spent.total() <= longest:
        return None
    whole = sum(map(_total, threads))
    lines = tuple((line, milliseconds / whole) for line, milliseconds in spent.most_common())
    return Lines(min(1.0, spent.total() / whole), lines)


def pool_waits(evidence: Evidence) -> Lines | None:
    """Lines on which the main thread waits for the processes of a pool."""
    samples = samples_by_thread(evidence).get(MAIN, [])
    waiting = [sample for sample in samples if sample.waits]
    return _lines([one for one in waiting if any(frame.startswith(POOLS) for frame in one.frames)], samples)


def marked(evidence: Evidence, mark: str) -> Lines | None:
    """Lines that work while sampling has put this mark on them."""
    samples = working_samples(evidence)
    return _lines([sample for sample in samples if mark in sample.frames and not sample.waits], samples)


def busiest(evidence: Evidence) -> Lines | None:
    """The program's lines that work, whatever they call."""
    samples = working_samples(evidence)
    return _lines([sample for sample in samples if sample.own and not sample.waits], samples)


def loading(evidence: Evidence) -> Lines | None:
    """Lines of the program that a loader calls on the thread that waits for the batch."""
    samples = working_samples(evidence)
    found = [sample for sample in samples if not sample.waits and _in_loader(sample)]
    return _lines(found, samples)


def called(evidence: Evidence, name: re.Pattern[str]) -> Lines | None:
    """Lines of functions of the program with such a name, with what they call."""
    samples = working_samples(evidence)
    places = [next((place for place, one in enumerate(each.frames) if _is_named(one, name)), None) for each in samples]
    found = [
        Sample(sample.frames[: place + 1], sample.milliseconds)
        for sample, place in zip(samples, places, strict=True)
        if place is not None
    ]
    return _lines(found, samples)


def late_callbacks(evidence: Evidence) -> Lines | None:
    """Lines for which other callbacks of an event loop wait, on the thread with most of them."""
    threads = samples_by_thread(evidence).values()
    samples = max(threads, key=lambda own: _total([sample for sample in own if sample.late]), default=[])
    found = [sample for sample in samples if sample.late and sample.own]
    return _lines(found, samples) if _total(samples) >= LEAST_MS else None


@dataclass(frozen=True)
class Contending:
    """Threads that run Python, with their lines; of the time, how much one of them holds the interpreter's lock."""

    threads: int
    lines: Lines


def contending(evidence: Evidence) -> Contending | None:
    """Threads that run Python in turns: they also wait on lines that call nothing and hold the lock at other times."""
    by_thread = samples_by_thread(evidence)
    works = {thread: [one for one in own if one.holds and one.own] for thread, own in by_thread.items()}
    most = max(map(_total, works.values()), default=0.0)
    threads = [thread for thread, own in works.items() if own and _total(own) >= BUSY * most]
    samples = [sample for thread in threads for sample in by_thread[thread]]
    holding = _spent(sample for thread in threads for sample in works[thread])
    waiting = _spent(sample for sample in samples if sample.waits and sample.on_own_line)
    queued = sum(spent for line, spent in waiting.items() if 2 * len(threads) * holding[line] >= spent)
    whole = max((_total(by_thread[thread]) for thread in threads), default=0.0)
    if len(threads) < 2 or whole < LEAST_MS or queued <= IN_QUEUE * _total(samples):
        return None
    lines = tuple((line, spent / holding.total()) for line, spent in holding.most_common())
    return Contending(len(threads), Lines(min(1.0, holding.total() / whole), lines))


@dataclass(frozen=True)
class Starved:
    """A thread that keeps the interpreter's lock, and lines on which another one waits for it."""

    thread: str
    holder: Lines  # with shares of its own time
    waits: Lines  # with shares of the other thread's


def starved(evidence: Evidence) -> Starved | None:
    """The main thread if others keep the lock from it; else the thread that waits longest."""
    by_thread = samples_by_thread(evidence)
    works = {thread: [one for one in own if not one.waits and one.own] for thread, own in by_thread.items()}
    keeper = max(works, key=lambda one: _total(works[one]), default="")
    others = {thread: own for thread, own in by_thread.items() if thread != keeper and _total(own) >= LEAST_MS}
    holding = [one for one in works.get(keeper, []) if one.holds]
    if not others or _share(works[keeper], by_thread[keeper]) <= KEEPS or _share(holding, works[keeper]) <= HOLDS:
        return None
    queued = {thread: [one for one in own if one.in_queue] for thread, own in others.items()}
    late = MAIN if queued.get(MAIN) else max(queued, key=lambda one: _total(queued[one]))
    holder, waits = _lines(works[keeper], by_thread[keeper]), _lines(queued[late], others[late])
    return Starved(keeper.removeprefix(THREAD), holder, waits) if holder and waits else None


@dataclass(frozen=True)
class Spinning:
    """A thread that asks again and again."""

    thread: str
    lines: Lines  # with shares of the thread's time
    disturbs: bool  # other threads work meanwhile


def delayed_connection(evidence: Evidence) -> Lines | None:
    """Lines of a client that waits for a server in the same program, which waits for the client meanwhile.

    A server's threads are known by the standard library's functions. Without these, all threads with lines of the
    program wait for a peer, for a thread or for a new client, and at least two of them for a peer.
    """
    by_thread = samples_by_thread(evidence)
    waiting = {thread: [one for one in own if one.for_peer and not one.for_thread] for thread, own in by_thread.items()}
    both = [thread for thread, own in waiting.items() if _share(own, by_thread[thread]) > ONLY_WAITS]
    ends = [one for thread in both for one in waiting[thread] if one.own and not LISTENS.search(one.text)]
    clients = [one for one in ends if not one.serves]
    servers = [one for thread in both for one in waiting[thread] if one.serves]
    whole = max((_total(own) for own in by_thread.values()), default=0.0)
    if whole < LEAST_MS or not clients:
        return None
    if _total(servers) > BUSY * whole:
        return _lines(clients, clients)
    awake = [
        own
        for own in by_thread.values()
        if _share([one for one in own if one.is_idle or one.for_peer], own) <= ONLY_WAITS
    ]
    talk = [thread for thread in both if any(one.own and not LISTENS.search(one.text) for one in waiting[thread])]
    busy = any(one.own for own in awake for one in own)
    return _lines(ends, ends) if len(talk) > 1 and not busy and _total(ends) > BUSY * whole else None


def sleeps_beside_idle_workers(evidence: Evidence) -> Lines | None:
    """Lines on which the main thread sleeps by the clock, while the threads that have worked for it wait for tasks."""
    by_thread = samples_by_thread(evidence)
    main = by_thread.pop(MAIN, [])
    workers = [own for own in by_thread.values() if any(one.own and not one.waits for one in own)]
    idle = [own for own in workers if _share([one for one in own if one.awaits_task], own) > IDLE_MOSTLY]
    asleep = [one for one in main if one.waits and SLEEPS.search(one.text)]
    if not workers or len(idle) < len(workers) or _share(asleep, main) <= IDLE_MOSTLY or _total(main) < LEAST_MS:
        return None
    return _lines(asleep, main)


def waits_for_peer(evidence: Evidence) -> Lines | None:
    """The program's lines on which the main thread waits for an answer, if it does so nearly all the time.

    What comes through a pipe of `multiprocessing` is never held back.
    """
    samples = samples_by_thread(evidence).get(MAIN, [])
    found = [one for one in samples if one.for_peer and one.own and not LISTENS.search(one.text)]
    found = [one for one in found if not any(frame.startswith("multiprocessing.") for frame in one.frames)]
    return _lines(found, samples) if _share(found, samples) > ONLY_WAITS else None


def spinning(evidence: Evidence) -> Spinning | None:
    """The thread that asks again and again for most of its time, and for as long as it matters."""
    by_thread = samples_by_thread(evidence)
    whole = max(map(_total, by_thread.values()), default=0.0)
    spins = {
        thread: [one for one in own if one.line_with(SPINS) and not one.waits] for thread, own in by_thread.items()
    }
    thread = max(spins, key=lambda one: _total(spins[one]), default="")
    if whole < LEAST_MS or not thread or _total(spins[thread]) <= SPINS_LONG * whole:
        return None
    lines = _lines(spins[thread], by_thread[thread])
    others = [one for name, own in by_thread.items() if name != thread for one in own if not one.waits]
    if lines is None or lines.share <= SPINS_MOSTLY:
        return None
    return Spinning(thread.removeprefix(THREAD), lines, _total(others) > SPINS_LONG * whole)


def lines_of(found: Sequence[Sample], samples: Sequence[Sample]) -> Lines | None:
    """The lines of some of the samples, with their shares of all of them."""
    return _lines(found, samples)


def held(evidence: Evidence) -> Lines | None:
    """Lines that hold the interpreter's lock: Python, not a library that computes on arrays.

    Some functions of such libraries hold it too, at times so briefly that they look like Python. Python always does.
    """
    samples = working_samples(evidence)
    holding, working = (
        _spent(sample for sample in samples if sample.own and (sample.holds or not (only_held or sample.waits)))
        for only_held in (True, False)
    )
    found = [sample for sample in samples if sample.holds and holding[sample.own] > HELD_MOSTLY * working[sample.own]]
    return _lines([sample for sample in found if sample.own], samples)


def other_code(evidence: Evidence) -> Lines | None:
    """Lines that take time and hardly call operators: those that do are slow for another reason."""
    samples = [sample for sample in working_samples(evidence) if sample.own]
    outside = [sample for sample in samples if not sample.waits and not sample.in_operator and not sample.in_framework]
    computing, alone = _spent(sample for sample in samples if sample.in_operator), _spent(outside)
    return _lines([sample for sample in outside if computing[sample.own] < 0.25 * alone[sample.own]], samples)


def is_unseen(evidence: Evidence) -> bool:
    """Whether threads do the work and call torch, and the trace has none of their operators: it has the main thread."""
    samples = working_samples(evidence)
    main = samples_by_thread(evidence).get(MAIN, [])
    calls = any(sample.in_framework for sample in samples)
    return calls and samples != main and not any(sample.in_operator for sample in samples)


def at_most(evidence: Evidence, share: float) -> float:
    """The share, but no more than stacks have outside of computing: gaps of a trace may be the queue for a CPU.

    None if the gaps are of a thread that only waits for those that work.
    """
    samples = working_samples(evidence)
    if not samples:
        return share
    if is_unseen(evidence):
        return 0.0
    alone = {line for line, _ in lines.lines} if (lines := other_code(evidence)) else set()
    outside = [one for one in samples if one.waits or one.kind or (one.own in alone and not one.in_operator)]
    return min(share, _share(outside, samples))


def _lines(found: Sequence[Sample], samples: Sequence[Sample], kind: Kind | None = None) -> Lines | None:
    if not found:
        return None
    whole = _total(samples)
    lines = tuple((line, milliseconds / whole) for line, milliseconds in _spent(found).most_common())
    texts: dict[str, Counter[str]] = defaultdict(Counter)
    for sample in found:
        texts[sample.own][sample.text] += sample.milliseconds  # type: ignore[assignment]
    shown = tuple(max(texts[line], key=texts[line].__getitem__, default="") for line, _ in lines[:LISTED])
    return Lines(_share(found, samples), lines, kind, shown)


def _spent(samples: Iterable[Sample]) -> Counter[str]:
    """Milliseconds per line."""
    spent: Counter[str] = Counter()
    for sample in samples:
        spent[sample.own or sample.innermost] += sample.milliseconds  # type: ignore[assignment]
    return spent


def _stacks(tables: Sequence[Events]) -> list[tuple[tuple[str, ...], float]]:
    every = [total for events in tables for total in events.totals]
    return [
        (total.path, total.values.get("samples", 0.0))
        for total in every
        if len(total.path) > 1 and total.path[0].startswith(THREAD)
    ]


def _computes(samples: Sequence[Sample]) -> bool:
    return any(sample.in_operator or sample.in_framework for sample in samples)


def _is_named(frame: str, name: re.Pattern[str]) -> bool:
    found = OWN.fullmatch(frame)
    return found is not None and name.match(found["function"]) is not None


def _in_loader(sample: Sample) -> bool:
    """Does a loader call a line of the program? The line that asks the loader for a batch is not meant."""
    frames = sample.frames
    loader = next((place for place, frame in enumerate(frames) if frame.startswith(LOADER)), len(frames))
    return any(OWN.fullmatch(frame) for frame in frames[loader:])


def _is_idle(sample: Sample, one_works: bool) -> bool:
    return sample.is_idle or (one_works and sample.for_peer)


def _only_feeds(samples: Sequence[Sample]) -> bool:
    """Is it a thread that a pool of processes has made, for tasks and results, which hardly ever runs?"""
    if any(sample.own for sample in samples):
        return False
    made = [sample for sample in samples if any(frame.startswith(POOLS) for frame in sample.frames)]
    return _share([sample for sample in made if sample.waits], samples) > ONLY_WAITS


def _has_own_rule(sample: Sample) -> bool:
    """Waits of a loader and of collectives have one; what the processes of a pool do is not in these stacks."""
    return any(frame.startswith((LOADER, "torch.distributed", *POOLS)) for frame in sample.frames)


def _share(found: Sequence[Sample], samples: Sequence[Sample]) -> float:
    whole = _total(samples)
    return min(1.0, _total(found) / whole) if whole else 0.0


def _total(samples: Sequence[Sample]) -> float:
    return sum(sample.milliseconds for sample in samples)
