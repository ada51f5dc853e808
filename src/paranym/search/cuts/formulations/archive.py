"""The goal of a search of cuts, and the archive of evaluated recodings: objectives and dominance."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paranym.model.cuts import Bits
from paranym.results.assessment import Assessments
from paranym.results.objectives import Objectives
from paranym.search.cuts.formulations.base import Formulation

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
EvaluateCuts = Callable[[Bits], Assessments]
"""Cuts (cuts, bits) in, their steps out; `levels` is the number of the cut that a step belongs to."""


@dataclass(frozen=True, slots=True, eq=False)
class Formulated:
    """The objectives of a search of cuts, and the range of each."""

    formulation: Formulation
    selects: Objectives
    """The objectives by which individuals are compared."""
    lists: Objectives
    """The objectives of the front."""
    columns: int
    """Number of values that are reported for every step."""
    ceilings: Mapping[str, float]
    """Upper bound of each objective: the largest possible privacy value, or loss."""
    max_loss: float = math.inf
    """Solutions with more loss are not listed."""

    def normalized_costs(self, objectives: Objectives, steps: Assessments) -> Floats:
        """(steps, objectives): every objective as a cost between 0, the best, and 1; maximized ones on a log scale."""
        columns = []
        for objective in objectives.listed:
            value, most = objective.of(steps), self.ceilings[objective.name]
            if objective.larger_is_better:
                columns.append(1 - np.log(np.maximum(value, 1)) / (math.log(most) if most > 1 else 1.0))
            else:
                columns.append(value / (most or 1.0))
        return np.column_stack(columns)


class Archive:
    """All evaluated recodings, each once, and the non-dominated ones among them."""

    def __init__(self, length: int, formulated: Formulated, evaluate: EvaluateCuts) -> None:
        self._length = length
        self.formulated = formulated
        self._evaluate = evaluate
        self._numbers: dict[bytes, int] = {}
        self._keys: list[bytes] = []
        self._fitness = np.empty((0, len(formulated.selects.listed)))
        self._pending: list[Assessments] = []
        self._found = Assessments.join([], 1, formulated.columns)

    def __len__(self) -> int:
        return len(self._numbers)

    def fitness(self, bits: Bits) -> Floats:
        """Return the costs of recodings by which evolution selects."""
        keys = keys_of(bits)
        new = {key: i for i, key in enumerate(keys) if key not in self._numbers}
        if new:
            self.evaluate(bits[list(new.values())])
        return self._fitness[[self._numbers[key] for key in keys]]

    def evaluate(self, bits: Bits) -> Assessments:
        """Evaluate distinct recodings, and return their solutions, also those beyond `max_loss`.

        `levels` number the recodings of the argument. Recodings that the archive has already are not added again.
        """
        steps = self._evaluate(bits)
        keys = keys_of(bits)
        new = np.array([key not in self._numbers for key in keys], bool)
        numbers = len(self._keys) + np.cumsum(new) - 1
        picked = self.formulated.formulation.pick(steps)
        costs = self.formulated.normalized_costs(self.formulated.selects, steps if picked is None else steps[picked])
        solutions = steps.solutions
        within = solutions[solutions.loss <= self.formulated.max_loss]
        failing = np.ones(len(bits), bool)
        failing[within.levels[:, 0]] = False
        costs[failing] += 1  # worse in every objective than all that meet the requirements
        self._fitness = np.concatenate([self._fitness, costs[new]])
        self._pending.append(replace(within, levels=numbers[within.levels])[new[within.levels[:, 0]]])
        for key, is_new, number in zip(keys, new.tolist(), numbers.tolist(), strict=True):
            if is_new:
                self._numbers[key] = number
                self._keys.append(key)
        return solutions

    @property
    def found(self) -> Assessments:
        """The non-dominated solutions; `levels` number the recodings of the archive."""
        for steps in self._pending:
            self._found = self.formulated.lists.merge(self._found, steps)
        self._pending.clear()
        return self._found

    def cuts(self, numbers: Ints) -> Bits:
        """Return the recodings with these numbers."""
        keys = b"".join(self._keys[number] for number in numbers.tolist())
        packed = np.frombuffer(keys, np.uint8).reshape(len(numbers), (self._length + 7) // 8)
        return np.unpackbits(packed, axis=1, count=self._length).astype(bool)


def keys_of(bits: Bits) -> list[bytes]:
    """Recodings as keys of dictionaries."""
    return [key.tobytes() for key in np.packbits(bits, axis=1)]
