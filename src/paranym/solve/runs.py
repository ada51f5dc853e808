"""Evolution repeated under other seeds: mean hypervolume with a confidence interval."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.results.front import Front
from paranym.solve.cuts import Evolving

Floats = NDArray[np.float64]

_DRAWS = 10_000
"""Number of bootstrap samples."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over runs with its 95% confidence interval.

    >>> str(Estimate(0.51234, 0.5, 0.525))
    '0.5123 (0.5000 to 0.5250)'
    """

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} ({self.low:.4f} to {self.high:.4f})"


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The same evolution under several seeds.

    >>> runs = Runs((1, 2), (), (np.array([0.1, 0.3]), np.array([0.2, 0.5])))
    >>> runs.reached.mean, [round(step.mean, 2) for step in runs.by_generation()]
    (0.4, [0.15, 0.4])
    """

    seeds: tuple[int, ...]
    fronts: tuple[Front, ...] = field(repr=False)
    curves: tuple[Floats, ...] = field(repr=False)
    """For every run, the hypervolume after each generation."""

    @property
    def volumes(self) -> Floats:
        """The final hypervolume of each run."""
        return np.array([curve[-1] for curve in self.curves])

    @property
    def reached(self) -> Estimate:
        """The mean final hypervolume."""
        return _estimate(self.volumes)

    def by_generation(self) -> list[Estimate]:
        """The hypervolume after each generation; runs that stopped early stay where they are."""
        longest = max(map(len, self.curves))
        padded = np.array([np.pad(curve, (0, longest - len(curve)), mode="edge") for curve in self.curves])
        return [_estimate(volumes) for volumes in padded.T]

    def gain_over(self, other: "Runs") -> Estimate:
        """Return the gain in hypervolume over other runs with the same seeds, pair by pair.

        The gain is significant if the low end is above 0.
        """
        if self.seeds != other.seeds:
            raise BadInput("Runs are compared pair by pair: give both the same seeds.")
        return _estimate(self.volumes - other.volumes)


def rerun(evolution: Callable[[int], Evolving], seeds: Iterable[int] = range(10)) -> Runs:
    """Run the evolution of every seed.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> runs = rerun(lambda seed: Evolving(problem, population=8, generations=5, seed=seed), range(3))
    >>> runs.seeds, runs.reached.low == runs.reached.high  # all cuts were met, whatever the seed
    ((0, 1, 2), True)
    """
    chosen = tuple(seeds)
    if not chosen:
        raise BadInput("There must be a seed at least.")
    fronts, curves = [], []
    for seed in chosen:
        evolving = evolution(seed)
        volumes = {step.generation: step.hypervolume for step in evolving}
        fronts.append(evolving.front())
        curves.append(np.array(list(volumes.values())))
    return Runs(chosen, tuple(fronts), tuple(curves))


def _estimate(values: Floats) -> Estimate:
    """The mean, with the middle 95% of bootstrap means."""
    drawn = np.random.default_rng(0).integers(len(values), size=(_DRAWS, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return Estimate(float(values.mean()), float(low), float(high))
