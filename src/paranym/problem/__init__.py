"""A table to be published: counted, with its privacy requirements and objectives."""

from paranym.problem.problem import Problem

__all__ = ["Problem"]
