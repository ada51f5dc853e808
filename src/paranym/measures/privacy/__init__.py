"""The built-in privacy models. A further one is a module in this package and a line here."""

from paranym.measures.privacy.alpha import Deassociation
from paranym.measures.privacy.anonymity import Anonymity
from paranym.measures.privacy.base import ModelKind
from paranym.measures.privacy.closeness import EqualCloseness, HierarchicalCloseness, OrderedCloseness
from paranym.measures.privacy.disclosure import DeltaDisclosure
from paranym.measures.privacy.diversity import DistinctDiversity, EntropyDiversity, FrequencyDiversity
from paranym.measures.privacy.likeness import BasicLikeness, EnhancedLikeness
from paranym.measures.privacy.presence import GreatestPresence, LeastPresence, PopulationMap
from paranym.measures.privacy.recursive import RecursiveDiversity, RecursiveRatio

_BUILT_IN: tuple[ModelKind, ...] = (
    Anonymity,
    FrequencyDiversity,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    RecursiveRatio,
    EqualCloseness,
    OrderedCloseness,
    HierarchicalCloseness,
    Deassociation,
    BasicLikeness,
    EnhancedLikeness,
    DeltaDisclosure,
    PopulationMap,
    LeastPresence,
    GreatestPresence,
)

MODELS: dict[str, ModelKind] = {kind.name: kind for kind in _BUILT_IN}
"""The built-in privacy models by their keys, in the order in which they are listed; some take parameters."""

COMBINATIONS: dict[str, tuple[str, str]] = {
    "(k,l)-safe": ("k", "frequency-l"),
    "(alpha,k)-anonymity": ("alpha", "k"),
    "p-sensitive k-anonymity": ("distinct-l", "k"),
    "delta-presence": ("presence-least", "presence-most"),
}
"""Models that combine two others: a table has one if it has both."""
