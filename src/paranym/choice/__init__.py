"""Questions to a front: the best k within a loss, the least loss for a k, and what a little more loss would buy."""

from paranym.choice.answers import Answer, Offer, answer, ask
from paranym.choice.preference import prefer
from paranym.choice.question import Question
from paranym.choice.shape import Overview, Region, describe, knee, regions
from paranym.model.curve import Curve, fit

__all__ = [
    "Answer",
    "Curve",
    "Offer",
    "Overview",
    "Question",
    "Region",
    "answer",
    "ask",
    "describe",
    "fit",
    "knee",
    "prefer",
    "regions",
]
