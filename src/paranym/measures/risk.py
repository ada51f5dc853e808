"""Re-identification risk: how likely a row is traced to its person (El Emam, 2013; Dankar and El Emam, 2010)."""

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.model.values import is_number
from paranym.results.audit import Attack, ClassSizes, Risk

Ints = NDArray[np.int64]

_ROUNDING = 1e-9


def attack(group_sizes: Ints, rows: Ints, threshold: float) -> Attack:
    """Success of an attacker, where `rows[i]` rows each match `group_sizes[i]` people.

    >>> attack(np.array([1, 5]), np.array([2, 10]), 0.1).average  # two rows found for sure, ten with probability 1/5
    0.3333333333333333
    """
    total = int(rows.sum())
    at_risk = int(rows[group_sizes * threshold < 1 - _ROUNDING].sum())  # 1/5 is not above 0.2
    expected = float((rows / group_sizes).sum())
    return Attack(1 / int(group_sizes.min()), expected / total, 1 / int(group_sizes.max()), at_risk, at_risk / total)


def risk(sizes: ClassSizes, threshold: float, population: tuple[Ints, Ints, int] | None = None) -> Risk:
    """Risks of a table. `population` has group sizes, rows that match a group of that size, and the number of people.

    >>> found = risk(ClassSizes.of(np.array([1, 1, 4])), threshold=0.2)
    >>> found.prosecutor.highest, found.prosecutor.average, found.marketer
    (1.0, 0.5, 0.5)
    """
    if not (is_number(threshold) and 0 <= threshold <= 1):
        raise BadInput(f"The threshold of risk is a probability between 0 and 1; got {threshold!r}.")
    prosecutor = attack(sizes.sizes, sizes.sizes * sizes.classes, threshold)
    if population is None:
        return Risk(threshold, prosecutor, prosecutor, None)
    group_sizes, rows, people = population
    return Risk(threshold, prosecutor, attack(group_sizes, rows, threshold), people)
