"""Grouping by frequency: rare values become one value."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from paranym.errors import BadHierarchy
from paranym.hierarchies.reading import ParsedValues, climb, one_or_more
from paranym.model.hierarchy import Hierarchy
from paranym.model.values import is_number, is_whole, to_text

_WHAT = "rare takes a number of rows, such as 10, or a share of them, such as 0.01; or a list of either that increases"


def rare_hierarchy(
    values: Iterable[object],
    rare: float | Sequence[float],
    *,
    counts: Mapping[str, int],
    attribute: str,
    others: str = "other",
) -> Hierarchy:
    """Levels on which values below a number of rows, or below a share of all rows with a value, become one.

    >>> rows = {"US": 95, "CA": 4, "FR": 1}
    >>> rare_hierarchy(rows, 2, counts=rows, attribute="country").labels[1]
    ('US', 'CA', 'other')
    """
    texts = [text for text in dict.fromkeys(to_text(value) for value in values) if text is not None]
    limits = _check(rare, sum(counts.values()), attribute)
    if not isinstance(others, str) or not others or others in texts:
        raise BadHierarchy(
            attribute,
            None,
            f"the group of rare values cannot be called {others!r}"
            f"{', which is a value of the column' if others in texts else ''}; name it with others = '...'.",
        )

    def labels(text: str) -> list[str]:
        return [others if counts[text] < limit else text for limit in limits]

    ordered = sorted(texts, key=lambda text: -counts[text])  # the group of rare values comes last
    return climb(ParsedValues({text: text for text in ordered}), labels, levels=len(limits), attribute=attribute)


def _check(rare: float | Sequence[float], rows: int, attribute: str) -> list[Fraction]:
    given = one_or_more(rare, attribute=attribute, what=_WHAT)
    shares = [is_number(limit) and 0 < limit < 1 for limit in given]
    counts = [is_whole(limit) and limit >= 1 for limit in given]
    if not given or not (all(shares) or all(counts)) or any(b <= a for a, b in itertools.pairwise(given)):
        raise BadHierarchy(attribute, None, f"{_WHAT}; got {given if isinstance(rare, Iterable) else rare}.")
    limits = [Fraction(Decimal(str(limit))) for limit in given]
    return [limit * rows if limit < 1 else limit for limit in limits]
