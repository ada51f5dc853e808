"""Independent checks: `certificate` follows the proof of a front, `recount` counts nodes a second way, and `bound` goes
over all boxes of a lower bound.
"""

from paranym.proof.bound import verify_bound
from paranym.proof.certificate import Verdict, verify_front

__all__ = ["Verdict", "verify_bound", "verify_front"]
