"""The recipe: the request of the user, as a TOML file and as a value."""

from paranym.recipe.document import (
    AttributeSection,
    ChoiceSection,
    DataSection,
    EvolutionSection,
    GateSection,
    LossSection,
    OutputSection,
    PrivacySection,
    Recipe,
)
from paranym.recipe.requirements import RequirementSection

__all__ = [
    "AttributeSection",
    "ChoiceSection",
    "DataSection",
    "EvolutionSection",
    "GateSection",
    "LossSection",
    "OutputSection",
    "PrivacySection",
    "Recipe",
    "RequirementSection",
]
