"""What is sought among cuts, and all that was met on the way: how recodings fare, and which of them are not beaten."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paranym.model.assessment import Assessments
from paranym.model.cuts import Bits
from paranym.model.objectives import Objectives
from paranym.search.problems.base import Formulation

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
EvaluateCuts = Callable[[Bits], Assessments]
"""Cuts (cuts, bits) in, their steps out; `levels` tells which of the cuts a step belongs to."""


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """What a search of cuts works towards, and how far each objective can go."""

    formulation: Formulation
    selects: Objectives
    """What individuals are compared by."""
    lists: Objectives
    """What the front trades off."""
    columns: int
    """How many values are told of every step."""
    ceilings: Mapping[str, float]
    """The most that can be had of each objective that should be large; the others are losses between 0 and this."""
    max_loss: float = math.inf
    """Nothing that loses more is listed."""

    def ills(self, objectives: Objectives, steps: Assessments) -> Floats:
        """(steps, objectives): every objective between 0, the best, and 1; what should be large counts by ratios."""
        columns = []
        for objective in objectives.listed:
            value, most = objective.of(steps), self.ceilings[objective.name]
            if objective.larger_is_better:
                columns.append(1 - np.log(np.maximum(value, 1)) / (math.log(most) if most > 1 else 1.0))
            else:
                columns.append(value / (most or 1.0))
        return np.column_stack(columns)


class Archive:
    """Every recoding that was evaluated, each once, and those that are not beaten, whoever asked for them."""

    def __init__(self, length: int, sought: Sought, evaluate: EvaluateCuts) -> None:
        self._length = length
        self.sought = sought
        self._evaluate = evaluate
        self._numbers: dict[bytes, int] = {}
        self._keys: list[bytes] = []
        self._fitness = np.empty((0, len(sought.selects.listed)))
        self._met: list[Assessments] = []
        self._found = Assessments.join([], 1, sought.columns)

    def __len__(self) -> int:
        return len(self._numbers)

    def fitness(self, bits: Bits) -> Floats:
        """The ills of those recodings, as evolution selects by them."""
        keys = keys_of(bits)
        new = {key: i for i, key in enumerate(keys) if key not in self._numbers}
        if new:
            self.meet(bits[list(new.values())])
        return self._fitness[[self._numbers[key] for key in keys]]

    def meet(self, bits: Bits) -> Assessments:
        """Evaluate recodings that were never met, and return the solutions, whatever they lose; `levels` tell whose."""
        steps = self._evaluate(bits)
        first = len(self._numbers)
        keys = keys_of(bits)
        self._numbers.update((key, first + i) for i, key in enumerate(keys))
        self._keys.extend(keys)
        picked = self.sought.formulation.pick(steps)
        ills = self.sought.ills(self.sought.selects, steps if picked is None else steps[picked])
        solutions = steps.solutions
        within = solutions[solutions.loss <= self.sought.max_loss]
        hopeless = np.ones(len(bits), bool)
        hopeless[within.levels[:, 0]] = False
        ills[hopeless] += 1  # worse in everything than all that meet what is demanded
        self._fitness = np.concatenate([self._fitness, ills])
        self._met.append(replace(within, levels=within.levels + first))
        return solutions

    @property
    def found(self) -> Assessments:
        """Of all that was met, what is not beaten; `levels` number the recodings."""
        for steps in self._met:
            self._found = self.sought.lists.merge(self._found, steps)
        self._met.clear()
        return self._found

    def cuts(self, numbers: Ints) -> Bits:
        """The recodings of those numbers."""
        keys = b"".join(self._keys[number] for number in numbers.tolist())
        packed = np.frombuffer(keys, np.uint8).reshape(len(numbers), (self._length + 7) // 8)
        return np.unpackbits(packed, axis=1, count=self._length).astype(bool)


def keys_of(bits: Bits) -> list[bytes]:
    """Recodings as keys of dictionaries."""
    return [key.tobytes() for key in np.packbits(bits, axis=1)]
