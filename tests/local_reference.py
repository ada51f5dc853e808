"""The top-down method once more, slow and obvious: plain Python over tuples, sharing no code with the package.

Only the order in which tuples come is given, so that both draw the same first seeds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

Span = Callable[[int, int], float]
"""What a cell costs in a group that spans two positions of its axis."""
Tuple = tuple[int, ...]


@dataclass
class Group:
    """Tuples with how many rows of each."""

    members: list[tuple[Tuple, int]]
    low: list[int] = field(init=False)
    high: list[int] = field(init=False)
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        columns = list(zip(*(member for member, _ in self.members), strict=True))
        self.low, self.high = [min(column) for column in columns], [max(column) for column in columns]
        self.rows = sum(amount for _, amount in self.members)


class TopDown:
    """Halve by far seeds, then adjust (Figure 4 of the paper)."""

    def __init__(self, spans: Sequence[Span], k: int, rounds: int = 3) -> None:
        self.spans, self.k, self.rounds = spans, k, rounds

    def between(self, a: Tuple, b: Tuple) -> float:
        return sum(span(min(x, y), max(x, y)) for span, x, y in zip(self.spans, a, b, strict=True))

    def cost(self, *groups: Group) -> float:
        low = [min(ends) for ends in zip(*(group.low for group in groups), strict=True)]
        high = [max(ends) for ends in zip(*(group.high for group in groups), strict=True)]
        return sum(span(x, y) for span, x, y in zip(self.spans, low, high, strict=True))

    def penalty(self, *groups: Group) -> float:
        """Of all rows of the groups together."""
        return self.cost(*groups) * sum(group.rows for group in groups)

    def __call__(self, members: list[tuple[Tuple, int]]) -> list[Group]:
        return self.adjusted(self.halved(members))

    def halved(self, members: list[tuple[Tuple, int]]) -> list[Group]:
        """The leaves of the tree of halves, from left to right."""
        halves = self.halves(members)
        if not all(halves):
            return [Group(members)]
        parts = [Group(half) for half in halves]
        if all(part.rows < self.k for part in parts):
            return [Group(members)]
        return [
            leaf
            for part in parts
            for leaf in (self.halved(part.members) if part.rows > self.k and len(part.members) > 1 else [part])
        ]

    def halves(self, members: list[tuple[Tuple, int]]) -> tuple[list[tuple[Tuple, int]], list[tuple[Tuple, int]]]:
        u, v, most = members[0][0], members[0][0], -1.0
        for _ in range(self.rounds):
            far = max((member for member, _ in members), key=lambda member: self.between(v, member))
            if self.between(v, far) <= most:
                break
            u, v, most = v, far, self.between(v, far)
        near = [self.between(u, member) < self.between(v, member) for member, _ in members]
        return (
            [each for each, is_near in zip(members, near, strict=True) if is_near],
            [each for each, is_near in zip(members, near, strict=True) if not is_near],
        )

    def adjusted(self, leaves: list[Group]) -> list[Group]:
        groups: list[Group | None] = list(leaves)
        for start, leaf in enumerate(leaves):
            at = start if groups[start] is leaf or groups[start] is not None else -1
            while at >= 0 and (small := groups[at]) is not None and small.rows < self.k:
                at = self.adjust(groups, at, small)
        return [group for group in groups if group is not None]

    def adjust(self, groups: list[Group | None], at: int, small: Group) -> int:
        """One step for one small group; where it is then."""
        others = [*range(at - 1, -1, -1), *range(at + 1, len(groups))]
        into, least = -1, inf
        for other in others:
            if (group := groups[other]) is not None:
                price = self.penalty(small, group) - self.penalty(small) - self.penalty(group)
                if price < least:
                    into, least = other, price
        gift: tuple[int, Group, Group] | None = None
        for other in others:
            group = groups[other]
            if group is not None and group.rows >= 2 * self.k - small.rows:
                filled, left = self.given(small, group)
                price = self.penalty(filled) + self.penalty(left) - self.penalty(small) - self.penalty(group)
                if price < least:
                    gift, least = (other, filled, left), price
        if gift is not None:
            other, groups[at], groups[other] = gift
            return at
        joined = groups[into]
        assert joined is not None
        groups[into], groups[at] = Group([*joined.members, *small.members]), None
        return into

    def given(self, small: Group, donor: Group) -> tuple[Group, Group]:
        """The small group with the closest rows of the donor that it lacks, and what the donor keeps."""
        missing = self.k - small.rows
        closest = sorted(donor.members, key=lambda each: self.cost(small, Group([each])))
        taken: list[tuple[Tuple, int]] = []
        kept: list[tuple[Tuple, int]] = []
        for member, amount in closest:
            part = min(amount, missing)
            missing -= part
            taken += [(member, part)] if part else []
            kept += [(member, amount - part)] if amount > part else []
        return Group([*small.members, *taken]), Group(kept)
