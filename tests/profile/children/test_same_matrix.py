"""A matrix that is solved with again is told from another one, and one long call from two."""

import sys

import numpy
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from perfproof.profile.children.same_matrix import MARK, SameMatrix

SIZE = 60


def matrix(seed=0):
    return numpy.random.default_rng(seed).random((SIZE, SIZE)) + SIZE * numpy.eye(SIZE)


def sparse(seed=0):
    return scipy.sparse.csc_matrix(numpy.diag(numpy.random.default_rng(seed).random(SIZE) + 1))


class Sampled:
    """The marks of the first moment in each call of a library's function, as if a sample had been taken there."""

    def __init__(self):
        self.known, self.found, self.turn = SameMatrix(), [], 0

    def call(self, function, *arguments, looks=1, **options):
        self.turn += 1
        code = getattr(function, "__wrapped__", function).__code__

        def entered(frame, event, _):
            if event == "call" and frame.f_code is code:
                self.found += [self.known.mark([(OWN, True), (frame, False)], self.turn) for _ in range(looks)]
            return None

        sys.settrace(entered)
        try:
            function(*arguments, **options)
        finally:
            sys.settrace(None)
        return self


OWN = sys._getframe()
SOLVERS = [
    (numpy.linalg.solve, matrix, numpy.ones(SIZE)),
    (numpy.linalg.inv, matrix, None),
    (scipy.linalg.lu_factor, matrix, None),
    (scipy.sparse.linalg.spsolve, sparse, numpy.ones(SIZE)),
]


@pytest.mark.parametrize(("solve", "draw", "right"), SOLVERS)
def test_an_equal_matrix_is_marked_from_the_second_call_on_and_another_one_is_not(solve, draw, right):
    given = [right] if right is not None else []
    again = Sampled().call(solve, draw(), *given).call(solve, draw(), *given)
    assert again.found == [[], [f"{MARK}{solve.__name__}"]]
    other = Sampled().call(solve, draw(), *given).call(solve, draw(1), *given)
    assert other.found == [[], []]


def test_another_right_hand_side_changes_nothing():
    solved = Sampled().call(numpy.linalg.solve, matrix(), numpy.ones(SIZE))
    assert solved.call(numpy.linalg.solve, matrix(), numpy.arange(SIZE)).found[1]


def test_two_samples_of_one_call_are_one_call():
    assert Sampled().call(numpy.linalg.inv, matrix(), looks=3).found == [[], [], []]


def test_a_value_on_the_diagonal_alone_makes_another_matrix():
    band, other = numpy.eye(SIZE), numpy.eye(SIZE)
    other[10, 10] = 2.0
    assert Sampled().call(numpy.linalg.inv, band).call(numpy.linalg.inv, other).found == [[], []]


def test_functions_of_other_names_and_of_other_files_are_left_alone():
    def solve(a):
        return a

    assert Sampled().call(solve, matrix()).call(solve, matrix()).found == [[], []]
    assert Sampled().call(numpy.linalg.norm, matrix()).call(numpy.linalg.norm, matrix()).found == [[], []]
