"""Objects of plain classes are what their attributes are, whatever refers to what."""

import sys
import threading
from functools import cached_property

import numpy
import pytest
import torch

from perfproof.core.objects import is_object, parts_of_object, strip_object
from perfproof.core.trees import buffers, clone, items_of, leaves
from perfproof.worker.measure.arguments import strip
from perfproof.worker.verify.outputs import argument_problem, kind_problem, same_bits, share_memory


class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent, self.children = value, parent, []

    @cached_property
    def total(self):
        return self.value + sum(child.total for child in self.children)


def tree():
    root = Node(1.5)
    root.children = [Node(torch.ones(3), root), Node(numpy.ones(2), root)]
    return root


class Equal(Node):
    def __eq__(self, other):
        return True


class Reads(Node):
    def __getattr__(self, name):
        return 0


class Next(Node):
    def __next__(self):
        return self.value


class Slots:
    __slots__ = ("value",)


@pytest.mark.parametrize("kind", [Equal, Reads, Next])
def test_a_class_with_ways_of_its_own_is_not_meant(kind):
    assert is_object(Node(1)) and not is_object(kind(1))


@pytest.mark.parametrize("value", [Slots(), Node, 1, "text", torch.ones(1), object(), [1], threading.Lock()])
def test_nothing_else_is_an_object(value):
    assert not is_object(value)


def test_a_copy_of_an_object_that_refers_to_itself_is_equal_and_in_memory_of_its_own():
    first, second = tree(), clone(tree())
    assert same_bits(first, second) and same_bits(first, clone(first))
    assert len(list(buffers(first))) == 2 and not share_memory(first, clone(first))
    assert argument_problem((first,), ("root",)) == ""


def test_lists_and_dicts_that_two_objects_share_are_shared_by_their_copies():
    first, second = Node({"weight": torch.ones(1)}), Node(None)
    first.children, second.value, second.children = [second], first.value, [first]
    copied = clone(first)
    assert copied.value is copied.children[0].value and copied.value is not first.value
    assert same_bits(first, copied) and argument_problem((first,), ("root",)) == ""


def test_a_chain_longer_than_the_stack_is_walked():
    last = first = Node(0)
    length = 2 * sys.getrecursionlimit()
    for number in range(length):
        last.children = [Node(number)]
        last = last.children[0]
    assert len(parts_of_object(first, items_of)) > 2 * length


@pytest.mark.parametrize(
    "change",
    [
        lambda root: setattr(root, "value", 2.5),
        lambda root: root.children[0].value.add_(1),
        lambda root: root.children.pop(),
        lambda root: root.children.append(root),
        lambda root: setattr(root.children[0], "parent", root.children[1]),
        lambda root: setattr(root, "answer", 1),
        lambda root: setattr(root, "__class__", Other),
    ],
)
def test_a_change_is_seen_wherever_it_is(change):
    before, after = tree(), tree()
    change(after)
    assert not same_bits(before, after)


class Other(Node):
    pass


def test_what_a_cached_property_keeps_is_no_change_and_is_not_handed_over():
    root = Node(1, None)
    root.children = [Node(2, root)]
    before = clone(root)
    assert root.total == 3 and same_bits(before, root)
    strip([root])
    assert "total" not in vars(root) and "total" not in vars(root.children[0])


def test_an_answer_in_the_place_of_a_cached_property_is_removed():
    root = Node(1)
    vars(root)["total"] = "the answer"
    strip_object(root, items_of, strip)
    assert root.total == 1


def test_an_attribute_of_a_tensor_within_an_object_is_removed():
    root = Node(torch.ones(2))
    root.value.answer = 1
    strip(root)
    assert not hasattr(root.value, "answer")


def test_an_object_that_cannot_be_copied_is_refused_as_an_argument():
    assert "`root` is a Node, which cannot be copied" in argument_problem((Node(threading.Lock()),), ("root",))


def test_an_object_is_no_result():
    assert "holds a Node, whose class may compute what is read" in kind_problem([tree()], "cpu")
    assert kind_problem([torch.ones(2)], "cpu") == ""


def test_leaves_of_an_object_have_paths():
    assert ("root", "children", "children.1.value") not in dict(leaves({"root": tree()}))
    assert "root.children.1.value" in {".".join(path) for path, _ in leaves({"root": tree()})}
