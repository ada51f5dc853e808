"""The built-in losses. A further one is a module in this package and a line here."""

from paranym.measures.base import Loss
from paranym.measures.loss.ce import ClassificationError
from paranym.measures.loss.class_size import AverageClassSize, NormalizedClassSize
from paranym.measures.loss.dcn import Discernibility
from paranym.measures.loss.entropy import NonUniformEntropy
from paranym.measures.loss.glm import GeneralLoss
from paranym.measures.loss.height import Height
from paranym.measures.loss.ncp import CertaintyPenalty
from paranym.measures.loss.precision import PrecisionLoss

_BUILT_IN: tuple[Loss, ...] = (
    GeneralLoss(),
    Discernibility(),
    ClassificationError(),
    CertaintyPenalty(),
    AverageClassSize(),
    NormalizedClassSize(),
    PrecisionLoss(),
    Height(),
    NonUniformEntropy(),
)

LOSSES: dict[str, Loss] = {loss.name: loss for loss in _BUILT_IN}
"""The built-in losses by their keys, in the order in which they are listed."""
