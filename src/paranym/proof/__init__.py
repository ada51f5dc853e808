"""An independent check of a front: `certificate` follows its proof, `recount` counts nodes a second way."""

from paranym.proof.certificate import Verdict, verify_front

__all__ = ["Verdict", "verify_front"]
