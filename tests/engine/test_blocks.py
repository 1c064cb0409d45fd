"""Blocks: found again by their tokens, shared, given back, and forgotten in the order in which they were given back."""

from perfproof.engine.blocks import Blocks


def filled(blocks, tokens):
    """Blocks for these tokens, named as a request names them."""
    taken, name = [], b""
    for start in range(0, len(tokens), blocks.size):
        taken.append(blocks.take())
        if len(part := tokens[start : start + blocks.size]) == blocks.size:
            name = blocks.name(taken[-1], name, part)
    return taken


def test_a_beginning_is_found_while_in_use_and_afterwards():
    blocks = Blocks(8, 2)
    taken = filled(blocks, [1, 2, 3, 4, 5])
    assert blocks.find([1, 2, 3, 4, 9]) == taken[:2]
    blocks.give_back(taken)
    assert blocks.used == 0 and blocks.find([1, 2, 3, 4, 9]) == taken[:2]


def test_the_same_tokens_after_another_beginning_are_other_blocks():
    blocks = Blocks(8, 2)
    filled(blocks, [1, 2, 3, 4])
    assert blocks.find([9, 9, 3, 4, 5]) == [] and blocks.find([3, 4, 5]) == []


def test_one_token_is_always_left_to_compute():
    blocks = Blocks(8, 2)
    taken = filled(blocks, [1, 2, 3, 4])
    assert blocks.find([1, 2, 3, 4]) == taken[:1] and blocks.find([1, 2]) == []


def test_another_salt_finds_nothing():
    blocks = Blocks(8, 2)
    filled(blocks, [1, 2, 3, 4])
    assert blocks.find([1, 2, 3], b"salt") == []


def test_the_block_that_was_given_back_first_is_taken_first_and_forgotten():
    blocks = Blocks(3, 2)
    old, new = filled(blocks, [1, 2]), filled(blocks, [3, 4])
    blocks.give_back(old)
    blocks.give_back(new)
    assert blocks.find([1, 2, 0]) == old
    blocks.take()  # the third, which holds nothing
    assert blocks.take() == old[0]
    assert blocks.find([1, 2, 0]) == [] and blocks.find([3, 4, 0]) == new


def test_a_shared_block_is_free_only_after_its_last_user():
    blocks = Blocks(2, 2)
    (block,) = filled(blocks, [1, 2])
    blocks.share(block)
    blocks.give_back([block])
    assert blocks.used == 1 and block not in blocks.free
    blocks.give_back([block])
    assert blocks.used == 0


def test_blocks_that_are_shared_while_free_do_not_count_as_room():
    blocks = Blocks(2, 2)
    taken = filled(blocks, [1, 2])
    blocks.give_back(taken)
    assert blocks.can_take(2) and not blocks.can_take(2, taken) and blocks.can_take(1, taken)
