"""A table that is to be published, counted, with all that is asked of it."""

from paranym.problem.counted import Problem

__all__ = ["Problem"]
