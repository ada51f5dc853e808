"""l-diversity (Machanavajjhala et al., ICDE 2006): frequency, distinct values, entropy."""

from typing import ClassVar

import numpy as np

from paranym.measures.privacy.base import ALIKE, Classes, Facts, Floats, WorstClass


class FrequencyDiversity(WorstClass):
    """1 / the share of the most frequent value (Definition 4 of the multi-objective paper): nobody who finds a person's
    class can name the person's value with more confidence than 1 in l.
    """

    name: ClassVar[str] = "frequency-l"
    title: ClassVar[str] = "frequency l-diversity"
    facts: ClassVar[Facts] = Facts(larger_is_better=True, monotone=True, survives_growth=False)

    def of(self, classes: Classes) -> Floats:
        return classes.sizes / classes.largest


class DistinctDiversity(WorstClass):
    """How many values occur; also the p of p-sensitive k-anonymity (Truta and Vinay, 2006)."""

    name: ClassVar[str] = "distinct-l"
    title: ClassVar[str] = "distinct l-diversity"
    facts: ClassVar[Facts] = Facts(larger_is_better=True, monotone=True, survives_growth=True)

    def of(self, classes: Classes) -> Floats:
        return classes.distinct.astype(float)


class EntropyDiversity(WorstClass):
    """e to the Shannon entropy: as unsure as among that many equally frequent values."""

    name: ClassVar[str] = "entropy-l"
    title: ClassVar[str] = "entropy l-diversity"
    facts: ClassVar[Facts] = Facts(larger_is_better=True, monotone=True, survives_growth=False)

    def of(self, classes: Classes) -> Floats:
        weighed = classes.total(classes.amounts * np.log(classes.amounts))
        return _whole_where_whole(np.exp(np.log(classes.sizes) - weighed / classes.sizes))


def _whole_where_whole(values: Floats) -> Floats:
    """Two equally frequent values are 2, not 1.9999999999999998: truncated, that would be 1."""
    whole = np.rint(values)
    return np.where(np.abs(values - whole) <= ALIKE * whole, whole, values)
