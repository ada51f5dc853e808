"""Re-identification risk: how likely a row is traced to its person (El Emam, 2013; Dankar and El Emam, 2010)."""

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.model.audit import Attack, ClassSizes, Risk
from paranym.model.values import is_number

Ints = NDArray[np.int64]

_ROUNDING = 1e-9


def attack(crowd: Ints, rows: Ints, threshold: float) -> Attack:
    """What is achieved where `rows[i]` rows each hide among `crowd[i]` people who are alike.

    >>> attack(np.array([1, 5]), np.array([2, 10]), 0.1).average  # two rows found for sure, ten with probability 1/5
    0.3333333333333333
    """
    total = int(rows.sum())
    at_risk = int(rows[crowd * threshold < 1 - _ROUNDING].sum())  # 1/5 is not above 0.2
    expected = float((rows / crowd).sum())
    return Attack(1 / int(crowd.min()), expected / total, 1 / int(crowd.max()), at_risk, at_risk / total)


def risk(sizes: ClassSizes, threshold: float, population: tuple[Ints, Ints, int] | None = None) -> Risk:
    """The risks of a table, where `population` says how many people how many rows hide among, and how many there are.

    >>> found = risk(ClassSizes.of(np.array([1, 1, 4])), threshold=0.2)
    >>> found.prosecutor.highest, found.prosecutor.average, found.marketer
    (1.0, 0.5, 0.5)
    """
    if not (is_number(threshold) and 0 <= threshold <= 1):
        raise BadInput(f"The threshold of risk is a probability between 0 and 1; got {threshold!r}.")
    prosecutor = attack(sizes.sizes, sizes.sizes * sizes.classes, threshold)
    if population is None:
        return Risk(threshold, prosecutor, prosecutor, None)
    crowd, rows, people = population
    return Risk(threshold, prosecutor, attack(crowd, rows, threshold), people)
