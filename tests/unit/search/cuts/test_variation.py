"""Who mates, and what is born: hand-worked tournaments, and populations that cannot have more children."""

import numpy as np
import pytest

from paranym.model.cuts import Bits, CutSpace
from paranym.model.hierarchy import Hierarchy
from paranym.search.cuts.variation import Breeder, first_population, tournament


@pytest.fixture
def space() -> CutSpace:
    """Four letters in two pairs, and three digits: five cuts of the tree, four of the digits."""
    letters = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]
    digits = [[digit, "*"] for digit in "123"]
    hierarchies = [
        Hierarchy.from_rows(letters, attribute="letter"),
        Hierarchy.from_rows(digits, attribute="digit"),
    ]
    return CutSpace.of(hierarchies, unconstrained=["digit"])


def everything(space: CutSpace) -> Bits:
    return np.array(list(space.each()), bool)


def test_one_that_beats_the_other_wins_whatever_room_it_has() -> None:
    costs, crowding = np.array([[0.1, 0.5], [0.2, 0.5]]), np.array([0.0, np.inf])

    assert np.all(tournament(costs, crowding, 50, np.random.default_rng(1)) == 0)


def test_of_two_that_do_not_beat_each_other_the_one_with_more_room_wins() -> None:
    costs, crowding = np.array([[0.1, 0.5], [0.2, 0.4]]), np.array([1.0, 2.0])

    assert np.all(tournament(costs, crowding, 50, np.random.default_rng(1)) == 1)


def test_equals_win_by_chance_and_are_drawn_equally_often() -> None:
    costs, crowding = np.zeros((4, 2)), np.full(4, np.inf)

    won = np.bincount(tournament(costs, crowding, 1000, np.random.default_rng(1)).reshape(-1), minlength=4)

    assert won.sum() == 2000
    assert np.all(np.abs(won - 500) < 50)


def test_offspring_is_new_and_valid(space: CutSpace) -> None:
    bits = first_population(space, 6, np.empty((0, space.length), bool), np.random.default_rng(2))
    born = Breeder(space, 0.9, 0.5).offspring(
        bits, np.random.default_rng(3).random((6, 2)), np.ones(6), 5, np.random.default_rng(4)
    )

    together = np.concatenate([bits, born])
    assert len(born) == 5
    assert len(np.unique(together, axis=0)) == 11
    assert all(cuts.is_valid(part) for each in born for cuts, part in space.parts(each))


def test_where_all_cuts_are_there_none_is_born(space: CutSpace) -> None:
    bits = everything(space)

    born = Breeder(space, 0.9, 0.5).offspring(
        bits, np.zeros((len(bits), 2)), np.ones(len(bits)), 4, np.random.default_rng(1)
    )

    assert len(bits) == space.size == 20
    assert born.shape == (0, space.length)


def test_pairs_that_neither_cross_nor_mutate_have_themselves_as_children(space: CutSpace) -> None:
    parents = everything(space)[:8].reshape(2, 4, space.length)

    children = Breeder(space, 0.0, 0.0).children(parents, np.random.default_rng(1))

    assert np.array_equal(children, parents.reshape(8, -1))
