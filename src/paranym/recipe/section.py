"""The base of all sections of a recipe: unknown keys are refused, and nothing is converted silently."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A table of a recipe."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
