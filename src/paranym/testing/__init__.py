"""Contract checks for people who extend paranym with a loss, a privacy model, a search or an engine of their own.

A check tests the facts that an extension states about itself, and the rules that the rest of paranym relies on.
"""

from paranym.testing.contracts import ContractCheck, ContractFault
from paranym.testing.engines import check_engine
from paranym.testing.losses import LossCheck, LossFault, check_loss
from paranym.testing.privacy_models import check_privacy_model
from paranym.testing.searches import check_search

__all__ = [
    "ContractCheck",
    "ContractFault",
    "LossCheck",
    "LossFault",
    "check_engine",
    "check_loss",
    "check_privacy_model",
    "check_search",
]
