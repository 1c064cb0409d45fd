"""The lab of FlexAttention: a token sees its own document up to itself. Flex runs without its compiler here."""

import importlib.util
import sys

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention

from tests.chapters.loaded_pair import CHAPTERS, LoadedPair
from tests.chapters.planted_defect import drawn, planted, share

LAB = "../labs/flexattention"
FOLDER = CHAPTERS.parent / "labs" / "flexattention"
pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")


@pytest.fixture
def first() -> LoadedPair:
    return LoadedPair(f"{LAB}/step_01_sdpa_mask")


@pytest.mark.parametrize("side", ["baseline", "optimized"])
def test_the_first_step_is_right_on_both_sides(first, side):
    for documents in (1, 5, 300):
        assert share(first, side, drawn(first, documents, documents=documents, length=130)) < 0.6


@pytest.mark.parametrize(
    ("old", "new"),
    [("place[:, None] >= place", "place[:, None] > place - 2"), (" & (document[:, None] == document)", "")],
    ids=["off by one", "across documents"],
)
def test_a_mask_that_shows_too_much_is_caught(old, new, tmp_path):
    wrong = planted(f"{LAB}/step_01_sdpa_mask", old, new, tmp_path)
    assert share(wrong, "optimized", drawn(wrong, 1, length=130)) > 1


@pytest.mark.parametrize(("step", "mask"), [("step_02_flex", "everything"), ("step_03_block_mask", "block_mask")])
def test_the_masks_of_the_later_steps_are_right_across_blocks(first, step, mask):
    q, k, v, document = drawn(first, 2, heads=1, dim=16)
    blocks = getattr(_without_borrowing(step), mask)(document)
    result = flex_attention(q, k, v, block_mask=blocks)
    assert first.of_tolerance([result], [first.module.reference(q, k, v, document)]) < 0.6


def test_only_the_last_step_leaves_blocks_out():
    document = torch.arange(1_024).div(128, rounding_mode="floor").int()
    assert _without_borrowing("step_02_flex").everything(document).sparsity() == 0
    assert _without_borrowing("step_03_block_mask").block_mask(document).sparsity() > 80


@pytest.mark.parametrize("side", ["baseline", "optimized"])
@pytest.mark.parametrize(
    ("step", "sizes"), [("step_04_window", dict(window=1)), ("step_04_window", {}), ("step_05_soft_cap", {})]
)
def test_windows_and_caps_are_right_without_the_compiler(step, sizes, side):
    pair = LoadedPair(f"{LAB}/{step}")
    assert _eager_share(pair, side, sizes) < 0.6


@pytest.mark.parametrize(
    ("step", "old", "new"),
    [
        ("step_04_window", "same & (query - key < window)", "same & (query - key <= window)"),
        ("step_04_window", "same & (query - key < window)", "same"),
        ("step_05_soft_cap", "torch.where(query >= key, CAP", "torch.where(query > key - 2, CAP"),
        ("step_05_soft_cap", "CAP * torch.tanh(score / CAP)", "torch.tanh(score / CAP)"),
    ],
)
def test_a_window_or_a_cap_that_is_off_is_caught(step, old, new, tmp_path):
    (tmp_path / "step_01_sdpa_mask.py").write_text(
        (FOLDER / "step_01_sdpa_mask.py").read_text()
    )  # what it borrows from
    assert _eager_share(planted(f"{LAB}/{step}", old, new, tmp_path), "optimized", {}) > 1


def test_only_a_window_in_the_mask_leaves_blocks_out():
    document, step = torch.zeros(1_024, dtype=torch.int32), _without_borrowing("step_04_window")
    assert step.block_mask(document, 100).sparsity() > step.block_mask(document, None).sparsity() + 20


def _eager_share(pair: LoadedPair, side: str, sizes: dict) -> float:
    arguments = drawn(pair, 2, heads=1, dim=16, **sizes)
    eager = side == "optimized" or "window" in pair.path.stem
    sys.modules[pair.module.__name__] = pair.module  # dynamo looks up what a score function names
    state = flex_attention if eager else getattr(pair.module, f"prepare_{side}")(*arguments)
    return pair.of_tolerance([getattr(pair.module, side)(state, *arguments)], [pair.module.reference(*arguments)])


def _without_borrowing(step: str):
    """A step's own functions; what it borrows stays a name."""
    spec = importlib.util.spec_from_file_location(step, FOLDER / f"{step}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
