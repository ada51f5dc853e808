"""The multi-objective problems (Dewri, Ray, Ray, Whitley) that evolution solves over cuts of the hierarchies."""

from paranym.search.cuts.formulations.any_suppression import AnySuppression
from paranym.search.cuts.formulations.base import Formulation
from paranym.search.cuts.formulations.limited_suppression import LimitedSuppression
from paranym.search.cuts.formulations.safety import Safety
from paranym.search.cuts.formulations.zero_suppression import ZeroSuppression

PROBLEMS: dict[int, type[Formulation]] = {1: ZeroSuppression, 2: LimitedSuppression, 3: AnySuppression, 4: Safety}
"""By the numbers of the paper."""
