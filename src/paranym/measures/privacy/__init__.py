"""The privacy models, by the names that requests use."""

from paranym.measures.privacy.alpha import Deassociation
from paranym.measures.privacy.anonymity import Anonymity
from paranym.measures.privacy.base import Maker
from paranym.measures.privacy.closeness import EqualCloseness, HierarchicalCloseness, OrderedCloseness
from paranym.measures.privacy.disclosure import DeltaDisclosure
from paranym.measures.privacy.diversity import DistinctDiversity, EntropyDiversity, FrequencyDiversity
from paranym.measures.privacy.likeness import BasicLikeness, EnhancedLikeness
from paranym.measures.privacy.presence import GreatestPresence, LeastPresence, PopulationMap
from paranym.measures.privacy.recursive import RecursiveDiversity, RecursiveRatio

MODELS: dict[str, Maker] = {
    "k": Anonymity,
    "frequency-l": FrequencyDiversity,
    "distinct-l": DistinctDiversity,
    "entropy-l": EntropyDiversity,
    "recursive-l": RecursiveDiversity,
    "recursive-c": RecursiveRatio,
    "equal-t": EqualCloseness,
    "ordered-t": OrderedCloseness,
    "hierarchical-t": HierarchicalCloseness,
    "alpha": Deassociation,
    "basic-beta": BasicLikeness,
    "enhanced-beta": EnhancedLikeness,
    "delta-disclosure": DeltaDisclosure,
    "presence-most": GreatestPresence,
    "presence-least": LeastPresence,
    "k-map": PopulationMap,
}
"""What makes a model; some take a parameter of their own."""

COMBINATIONS: dict[str, tuple[str, str]] = {
    "(k,l)-safe": ("k", "frequency-l"),
    "(alpha,k)-anonymity": ("alpha", "k"),
    "p-sensitive k-anonymity": ("distinct-l", "k"),
    "delta-presence": ("presence-least", "presence-most"),
}
"""Models that are two others at once: a table has one if it has both."""
