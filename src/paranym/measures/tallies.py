"""The loss of one set of published classes."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.frequency import FrequencySet
from paranym.measures.base import CellLoss, Domain, Loss, Tally
from paranym.measures.privacy.base import Classes, Truths

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def loss_of_published(
    loss: Loss,
    classes: FrequencySet,
    published: Truths,
    *,
    domains: Sequence[Domain],
    levels: Sequence[int],
    label: str | None,
) -> float:
    """Return the loss if the `published` classes are published and all others suppressed.

    The codes of the classes are values of the `levels` of the attributes' hierarchies.
    """
    sizes = classes.counts
    largest = Classes.of(classes, label).largest if loss.facts.needs_label else sizes
    tally = Tally(
        rows=classes.rows,
        domains=tuple(domains),
        levels=np.array([levels], np.int64),
        k=np.array([int(sizes[published].min(initial=classes.rows))]),
        suppressed=np.array([int(sizes[~published].sum())]),
        kept_classes=np.array([int(np.count_nonzero(published))]),
        kept_squares=np.array([int((sizes[published] ** 2).sum())]),
        kept_majority=np.array([int(largest[published].sum())]),
        kept_costs=_costs(loss, classes, published, domains, levels),
        spread=np.array([[_spread(codes[~published], sizes[~published]) for codes in classes.codes.T]]),
    )
    return float(loss.of(tally)[0])


def _costs(
    loss: Loss, classes: FrequencySet, published: Truths, domains: Sequence[Domain], levels: Sequence[int]
) -> Floats:
    if not loss.facts.needs_costs:
        return np.empty((1, 0))
    costs = [cast("CellLoss", loss).costs(domain, classes.rows) for domain in domains]
    numerators = [cost.numerators[level] for cost, level in zip(costs, levels, strict=True)]
    kept = zip(costs, numerators, classes.codes[published].T, strict=True)
    return np.array([[int(classes.counts[published] @ table[codes]) / cost.denominator for cost, table, codes in kept]])


def _spread(codes: Ints, sizes: Ints) -> float:
    """Bits that identify the value of each row among all these rows."""
    return _bits(sizes.sum(keepdims=True)) - _bits(np.bincount(codes, weights=sizes))


def _bits(rows: Ints | Floats) -> float:
    some = rows[rows > 0].astype(float)
    return float((some * np.log2(some)).sum())
