"""Questions to a front: the largest k within a loss, the least loss for a k, and the gain from a little more loss."""

from paranym.choice.answers import Answer, Offer, answer, ask
from paranym.choice.overview import Overview, Region, describe, knee, regions
from paranym.choice.preference import prefer
from paranym.choice.question import Question

__all__ = [
    "Answer",
    "Offer",
    "Overview",
    "Question",
    "Region",
    "answer",
    "ask",
    "describe",
    "knee",
    "prefer",
    "regions",
]
