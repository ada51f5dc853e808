"""Questions to a front: the best k within a loss, the least loss for a k, and what a little more loss would buy."""

from paranym.choice.answers import Answer, Offer, answer, ask
from paranym.choice.question import Question
from paranym.choice.shape import Overview, Region, describe, knee, regions

__all__ = ["Answer", "Offer", "Overview", "Question", "Region", "answer", "ask", "describe", "knee", "regions"]
