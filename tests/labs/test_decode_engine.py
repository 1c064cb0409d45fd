"""The labs of the engine: every step gives the tokens of the plain decoder, and each changes what it says."""

import pytest
import torch

from tests.chapters.loaded_pair import CHAPTERS, LoadedPair
from tests.chapters.test_ch15 import arguments

LABS = CHAPTERS.parent / "labs"
DECODE = sorted(path.stem for path in (LABS / "decode_engine").glob("step_*.py"))
FIRST = LABS / "decode_engine" / "step_01_cached"


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def load(lab: str, name: str, old: str = "", new: str = "") -> dict:
    """What a step defines; names that it borrows are texts."""
    text = (LABS / lab / f"{name}.py").read_text()
    assert old in text
    names: dict = {}
    exec(compile(text.replace(old, new), name, "exec"), names)
    return names


def run(step: dict, values: list) -> tuple:
    engine = step["prepare_optimized"](*values)
    tokens = []
    plan = engine.scheduler.plan
    engine.scheduler.plan = lambda *given: (made := plan(*given), tokens.append(made.tokens))[0]
    return step["optimized"](engine, *values), engine, tokens


@pytest.fixture(scope="module")
def given() -> list:
    pair = LoadedPair(str(FIRST))
    found = arguments(pair, seed=1)
    return [found[name] for name in pair.names]


@pytest.fixture(scope="module")
def right(given):
    return LoadedPair(str(FIRST)).module.reference(*given)


@pytest.mark.parametrize("name", DECODE)
def test_every_step_gives_the_tokens_of_the_plain_decoder(name, given, right):
    assert torch.equal(run(load("decode_engine", name), given)[0], right)


def test_the_first_loop_gives_them_too(given, right):
    first = LoadedPair(str(FIRST)).module
    assert torch.equal(first.baseline(first.prepare_baseline(*given), *given), right)


def test_each_step_changes_what_it_says(given):
    runs = {name: run(load("decode_engine", name), given)[1:] for name in DECODE}
    passes = [len(tokens) for _, tokens in runs.values()]
    work = [sum(tokens) for _, tokens in runs.values()]
    assert passes[1] < passes[0] and work[2] < work[1]
    settings = [engine.settings for engine, _ in runs.values()]
    assert [one.overlap for one in settings] == [False, False, False, True, True, True]
    assert [one.graphs for one in settings] == [False, False, False, False, True, True]
    heads = [engine.runner.weights.head for engine, _ in runs.values()]
    assert [torch.is_tensor(one) for one in heads] == [True] * 5 + [False]


def test_each_step_has_the_step_before_as_its_baseline():
    assert [load("decode_engine", name)["baseline"] for name in DECODE[1:]] == DECODE[:-1]


def test_weights_with_a_scale_that_is_off_are_caught(given, right):
    wrong = load(
        "decode_engine", "step_06_int8", "quantise_weights(weights, 8, GROUP)", "quantise_weights(weights, 4, GROUP)"
    )
    assert not torch.equal(run(wrong, given)[0], right)


def test_guesses_of_the_text_and_of_a_draft_change_no_token_and_save_steps():
    first = LoadedPair(str(LABS / "speculative_decode" / "step_01_ngram"))
    found = arguments(first, seed=3, steps=40, prompt=100, answer=24)
    values = [found[name] for name in first.names]
    right = first.module.reference(*values)
    engine = first.module.prepare_baseline(*values)
    assert torch.equal(first.module.baseline(engine, *values), right)
    for name in ("step_01_ngram", "step_02_draft"):
        answer, guessing, _ = run(load("speculative_decode", name), values)
        assert torch.equal(answer, right)
        assert guessing.steps < engine.steps
