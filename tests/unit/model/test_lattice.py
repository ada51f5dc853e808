"""Levels, and the lattice that they span."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranym.model.lattice import Lattice, Node

HEIGHTS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


def test_the_adult_lattice_of_the_poka_hierarchies_has_17920_nodes() -> None:
    assert Lattice((6, 1, 1, 1, 1, 4, 3, 3, 7)).size == 7 * 2 * 2 * 2 * 2 * 5 * 4 * 4 * 8


@given(HEIGHTS)
def test_all_nodes_are_listed_once(heights: tuple[int, ...]) -> None:
    listed = [node.levels for node in Lattice(heights)]

    assert listed == list(itertools.product(*(range(height + 1) for height in heights)))
    assert len(listed) == Lattice(heights).size


@given(heights=HEIGHTS, size=st.integers(1, 300), data=st.data())
def test_batches_cover_the_lattice_in_the_order_asked_for(
    heights: tuple[int, ...], size: int, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(heights))))

    batches = list(Lattice(heights).batches(size, order=order))

    slow_to_fast = [tuple(levels) for levels in np.concatenate(batches)[:, order].tolist()]
    assert slow_to_fast == list(itertools.product(*(range(heights[attribute] + 1) for attribute in order)))
    assert all(len(batch) == size for batch in batches[:-1])
    assert 0 < len(batches[-1]) <= size


@given(HEIGHTS)
def test_every_node_lies_between_bottom_and_top(heights: tuple[int, ...]) -> None:
    lattice = Lattice(heights)

    assert all(node in lattice and lattice.top.covers(node) and node.covers(lattice.bottom) for node in lattice)


@pytest.mark.parametrize(
    "stranger", [Node((0,)), Node((0, 0, 0)), Node((2, 0)), Node((0, 4)), Node((-1, 0)), (0, 0), None]
)
def test_a_lattice_knows_what_is_no_node_of_it(stranger: object) -> None:
    assert stranger not in Lattice((1, 3))


@pytest.mark.parametrize(
    ("upper", "lower", "covers"),
    [((1, 2), (1, 2), True), ((1, 2), (0, 2), True), ((1, 2), (2, 0), False), ((0, 0), (0, 1), False)],
)
def test_a_node_covers_those_that_raise_no_attribute_further(
    upper: tuple[int, ...],
    lower: tuple[int, ...],
    covers: bool,  # noqa: FBT001
) -> None:
    assert Node(upper).covers(Node(lower)) is covers


def test_nodes_of_different_lattices_are_not_compared() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Node((1, 1)).covers(Node((1,)))


def test_the_height_of_a_node_is_the_sum_of_its_levels() -> None:
    assert Node((1, 0, 3)).height == 4


def test_a_lattice_without_anything_to_raise_is_one_node() -> None:
    assert list(Lattice((0, 0))) == [Node((0, 0))] == [Lattice((0, 0)).top] == [Lattice((0, 0)).bottom]
