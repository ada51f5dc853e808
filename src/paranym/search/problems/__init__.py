"""The multi-objective problems (Dewri, Ray, Ray, Whitley), which evolution searches cuts of the hierarchies for."""

from paranym.search.problems.any_suppression import AnySuppression
from paranym.search.problems.base import Formulation
from paranym.search.problems.limited_suppression import LimitedSuppression
from paranym.search.problems.safety import Safety
from paranym.search.problems.zero_suppression import ZeroSuppression

PROBLEMS: dict[int, type[Formulation]] = {1: ZeroSuppression, 2: LimitedSuppression, 3: AnySuppression, 4: Safety}
"""By the numbers of the paper."""
