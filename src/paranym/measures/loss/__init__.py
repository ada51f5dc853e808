"""The loss measures, by the names that recipes use."""

from paranym.measures.base import Loss
from paranym.measures.loss.ce import ClassificationError
from paranym.measures.loss.class_size import AverageClassSize, NormalizedClassSize
from paranym.measures.loss.dcn import Discernibility
from paranym.measures.loss.entropy import NonUniformEntropy
from paranym.measures.loss.glm import GeneralLoss
from paranym.measures.loss.height import Height
from paranym.measures.loss.ncp import CertaintyPenalty
from paranym.measures.loss.precision import PrecisionLoss

LOSSES: dict[str, Loss] = {
    "glm": GeneralLoss(),
    "dcn": Discernibility(),
    "ce": ClassificationError(),
    "ncp": CertaintyPenalty(),
    "average-class-size": AverageClassSize(),
    "c-avg": NormalizedClassSize(),
    "precision": PrecisionLoss(),
    "height": Height(),
    "entropy": NonUniformEntropy(),
}
