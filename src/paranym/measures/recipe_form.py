"""How a privacy model is required in the `[privacy]` section of a recipe."""

from dataclasses import dataclass

from paranym.errors import BadInput


@dataclass(frozen=True, slots=True)
class Parameter:
    """An option of a requirement besides its value, such as the `c` of recursive diversity."""

    name: str
    kinds: tuple[type, ...] = (float,)
    """Types that a recipe may give it; None as the default makes it optional."""
    default: object = None
    positive: bool = False
    """Whether a number must be greater than 0 and finite."""
    is_cell_value: bool = False
    """Whether it names a value of the sensitive attribute, which a manifest must not repeat."""


@dataclass(frozen=True, slots=True)
class RecipeForm:
    """One way to require a model: `key = value`, or `key = { value = ..., choice = "option" }`.

    One option, such as `kind` or `distance`, selects among models that share a key; without it, the model whose form
    is `usual` applies.

    >>> RecipeForm("l", ("kind", "entropy")).key
    'l'
    """

    key: str
    choice: tuple[str, str] | None = None
    """The option and its value that select this model among those with the same key."""
    usual: bool = False
    """True if the model applies without the option, as does every model that has a key of its own."""
    parameters: tuple[Parameter, ...] = ()
    whole: bool = False
    """Whether the value is a whole number."""

    def __post_init__(self) -> None:
        taken = {"value", "attribute", "reference"} & {each.name for each in self.parameters}
        if taken:
            raise BadInput(f"A requirement has {', '.join(sorted(taken))} anyway; name the parameter otherwise.")
