"""The lab of FlexAttention: a token sees its own document up to itself. Flex runs without its compiler here."""

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention

from tests.chapters.loaded_pair import LoadedPair
from tests.chapters.planted_defect import drawn, planted, share

LAB = "../labs/flexattention"
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


def _without_borrowing(step: str):
    """A step's own functions; what it borrows stays a name."""
    import importlib.util

    from tests.chapters.loaded_pair import CHAPTERS

    spec = importlib.util.spec_from_file_location(step, CHAPTERS.parent / "labs" / "flexattention" / f"{step}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
