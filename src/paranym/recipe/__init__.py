"""The recipe: what the user asked for, as a TOML file and as a value."""

from paranym.recipe.document import (
    AttributeSection,
    ChoiceSection,
    Closeness,
    Compared,
    DataSection,
    Deassociation,
    Demand,
    Disclosure,
    Diversity,
    EvolutionSection,
    Likeness,
    LossSection,
    OutputSection,
    PrivacySection,
    Recipe,
)

__all__ = [
    "AttributeSection",
    "ChoiceSection",
    "Closeness",
    "Compared",
    "DataSection",
    "Deassociation",
    "Demand",
    "Disclosure",
    "Diversity",
    "EvolutionSection",
    "Likeness",
    "LossSection",
    "OutputSection",
    "PrivacySection",
    "Recipe",
]
