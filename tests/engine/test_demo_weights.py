"""The weights of the demo model: trained once and kept; trained anew if the file or what they depend on has changed."""

import threading
from functools import partial

import pytest
import torch

from perfproof.engine import demo, demo_weights, serving
from perfproof.engine.demo_weights import load_or_train_demo
from perfproof.engine.plain_decoder import decode_greedily
from perfproof.engine.request import Request, Sampling
from perfproof.engine.server.settings import ServeSettings

STEPS = 3  # enough to change every weight
ANSWERING_STEPS = 20  # after which an answer is more than one letter again and again
PROMPT = list(b"The cache ")


@pytest.fixture(autouse=True)
def state(monkeypatch, tmp_path):
    """A folder of its own, where nothing is kept yet."""
    folder = tmp_path / "state"
    monkeypatch.setenv("PERFPROOF_STATE", str(folder))
    return folder


def start(seed=0, steps=STEPS):
    """The weights, whether they were trained, and everything that was said."""
    said = []
    _, weights = load_or_train_demo(said.append, steps, seed)
    return weights, any(line.startswith("trained") for line in said), said


def kept_files(state):
    return sorted((state / "demo").glob("*.weights"))


def same(one, other):
    return all(map(torch.equal, demo.trained_parts(one), demo.trained_parts(other)))


def test_a_later_start_reads_the_weights_and_answers_the_same(state):
    trained, was_trained, _ = start(steps=ANSWERING_STEPS)
    kept, was_trained_again, said = start(steps=ANSWERING_STEPS)
    assert was_trained and not was_trained_again
    assert said == [f"using the demo model that an earlier start trained: {kept_files(state)[0]}"]
    assert same(trained, kept) and kept.head is kept.embedding
    model = demo.demo_architecture()
    assert decode_greedily(model, trained, PROMPT, 20) == decode_greedily(model, kept, PROMPT, 20)
    assert not any(part.requires_grad for part in demo.trained_parts(kept))


def test_two_servers_of_the_demo_give_the_same_answer(monkeypatch, capsys):
    monkeypatch.setattr(serving, "load_or_train_demo", partial(load_or_train_demo, steps=ANSWERING_STEPS))
    answers = []
    for said in ("trained the demo model in", "using the demo model that an earlier start trained"):
        made = serving.make_engine(ServeSettings(blocks=20))
        assert capsys.readouterr().err.splitlines()[-1].startswith(said)
        request = Request("a", PROMPT, Sampling(0, max_tokens=20, ignore_eos=True))
        made.engine.add(request)
        while made.engine.is_busy:
            made.engine.step()
        answers.append(request.answer)
    assert answers[0] == answers[1] and len(answers[0]) == 20


@pytest.mark.parametrize(
    "broken",
    [
        lambda content: b"",
        lambda content: b"not weights at all",
        lambda content: content[:-4],
        lambda content: content + bytes(4),
        lambda content: content[:5000] + bytes([content[5000] ^ 1]) + content[5001:],
    ],
    ids=["empty", "text", "cut", "longer", "one bit"],
)
def test_a_broken_file_is_trained_anew_and_replaced(state, broken):
    trained = start()[0]
    (file,) = kept_files(state)
    whole = file.read_bytes()
    file.write_bytes(broken(whole))
    again, was_trained, _ = start()
    assert was_trained and same(trained, again)
    assert kept_files(state) == [file] and file.read_bytes() == whole


def test_weights_of_another_shape_are_not_used(state):
    start()
    model = demo.demo_architecture()
    other = demo_weights.random_weights(model, torch.float32)
    other.layers.pop()
    said = []
    demo_weights._keep(kept_files(state)[0], other, said.append)
    assert said == [] and start()[1]


def test_what_the_weights_depend_on_is_in_the_name(state, monkeypatch, tmp_path):
    start()
    assert start(seed=1)[1] and start(steps=STEPS + 1)[1]
    text = tmp_path / "text.txt"
    text.write_text(demo.TEXT.read_text() + "\n\nOne more sentence about caches.\n")
    with monkeypatch.context() as changed:
        changed.setattr(demo, "TEXT", text)
        assert start()[1]
    with monkeypatch.context() as changed:
        changed.setattr(torch, "__version__", "99.0")
        assert start()[1]
    source = tmp_path / "demo.py"
    source.write_text("RATE = 1\n")
    with monkeypatch.context() as changed:
        changed.setattr(demo, "__file__", str(source))
        assert start()[1]
    assert len(kept_files(state)) == 6 and not start()[1]


def test_a_folder_that_cannot_be_written_is_no_error(state):
    state.write_text("a file where the folder should be")
    for _ in range(2):
        _, was_trained, said = start()
        assert was_trained and said[-1].startswith("the next start trains the demo model again: ")


def test_a_user_without_a_home_folder_can_start_it(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(demo_weights, "state_folder", no_home)
    assert start()[1]


def test_of_two_starts_at_once_one_trains_and_the_other_waits(monkeypatch):
    """The first start trains until the second one says that it waits."""
    waits, training, said = threading.Event(), threading.Event(), ([], [])
    train = demo.train_demo

    def train_late(*arguments):
        training.set()
        assert waits.wait(300)
        return train(*arguments)

    def say(number, line):
        said[number].append(line)
        if "waiting" in line:
            waits.set()

    monkeypatch.setattr(demo, "train_demo", train_late)
    found = [None, None]

    def run(number):
        found[number] = load_or_train_demo(partial(say, number), STEPS)[1]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    threads[0].start()
    assert training.wait(300)
    threads[1].start()
    for thread in threads:
        thread.join(300)
    assert [line.split()[0] for line in said[0]] == ["trained"]
    assert [line.split()[0] for line in said[1]] == ["another", "using"]
    assert same(*found)
