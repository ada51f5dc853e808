"""The catalogue of measures: every loss and every privacy model, built in or installed, by its key.

Each measure states in its own file its key, title, meaning, facts, the form in which a recipe requires it, and what it
needs counted. Everything else that lists or looks up measures reads them here, and nothing tests their names.
"""

from collections.abc import Iterable
from functools import cache
from inspect import isabstract
from typing import cast

from paranym.errors import BadInput, did_you_mean
from paranym.extensions import installed_names, load_installed
from paranym.measures.base import Loss, LossFacts
from paranym.measures.loss import LOSSES
from paranym.measures.privacy import MODELS
from paranym.measures.privacy.base import ModelFacts, ModelKind, WorstClass
from paranym.measures.recipe_form import Parameter, RecipeForm

_PARTS = ("name", "title", "facts", "of", "worst")


# -- losses


def loss_names() -> tuple[str, ...]:
    """Return the keys of all losses, those of installed packages last.

    >>> loss_names()[:3]
    ('glm', 'dcn', 'ce')
    """
    return (*LOSSES, *(name for name in installed_names("paranym.losses") if name not in LOSSES))


def find_loss(name: str) -> Loss | None:
    """Return the loss of that key; None if neither paranym nor an installed package has one.

    >>> find_loss("dcn").title
    'discernibility'
    """
    if name in LOSSES:
        return LOSSES[name]
    found = load_installed("paranym.losses", name)
    if found is None:
        return None
    loss = check_form(found() if isinstance(found, type) else found)
    _check_entry_point("paranym.losses", name, loss.name)
    return loss


def loss_of(name: str) -> Loss:
    """Return the loss of that key; raise `BadInput` if there is none."""
    found = find_loss(name)
    if found is None:
        known = loss_names()
        raise BadInput(f"There is no loss {name!r}; known are {', '.join(known)}.{did_you_mean(name, known)}")
    return found


def describe_loss(name: str) -> str:
    """Return the title and the meaning of a loss; of one that nobody has installed here, its key.

    >>> describe_loss("average-class-size")
    'average class size: how many rows an equivalence class has on average'
    """
    loss = find_loss(name)
    if loss is None:
        return name
    meaning = getattr(loss, "meaning", "")
    return f"{loss.title}: {meaning}" if meaning else loss.title


def is_about_cells(name: str) -> bool:
    """Return whether the fraction of a loss is a share of the information in the cells.

    >>> is_about_cells("glm"), is_about_cells("dcn")
    (True, False)
    """
    loss = find_loss(name)
    return loss is not None and loss.facts.about_cells


def check_form(loss: object) -> Loss:
    """Return the same object if it has all parts of a loss; the facts that it states are not checked here.

    >>> check_form(LOSSES["dcn"]).name
    'dcn'
    """
    if isinstance(loss, type):
        raise BadInput(f"A loss is an object: pass {loss.__name__}() instead of the class.")
    lacking = [part for part in _PARTS if not hasattr(loss, part)]
    facts = getattr(loss, "facts", None)
    if isinstance(facts, LossFacts):
        lacking += ["per_level"] if facts.additive and not hasattr(loss, "per_level") else []
        lacking += ["costs"] if facts.needs_costs and not hasattr(loss, "costs") else []
    if lacking:
        raise BadInput(f"A loss is a name, or an object of the form of Loss; {loss!r} lacks {', '.join(lacking)}.")
    if not isinstance(facts, LossFacts):
        raise BadInput(f"The facts of a loss are `LossFacts`; those of {type(loss).__name__} are {facts!r}.")
    found: Loss = loss  # type: ignore[assignment]
    if found.name in LOSSES and type(LOSSES[found.name]) is not type(loss):
        raise BadInput(f"There is a loss of the name {found.name!r} already; give yours another name.")
    return found


# -- privacy models


def find_model(name: str) -> ModelKind | None:
    """Return the privacy model of that key; None if neither paranym nor an installed package has one.

    >>> find_model("entropy-l").title
    'entropy l-diversity'
    """
    if name in MODELS:
        return MODELS[name]
    found = load_installed("paranym.privacy_models", name)
    if found is None:
        return None
    kind = check_model_form(found)
    _check_entry_point("paranym.privacy_models", name, kind.name)
    return kind


def check_model_form(kind: object) -> ModelKind:
    """Return the same class if it is one of privacy models; the facts that it states are not checked here.

    >>> check_model_form(MODELS["k"]).name
    'k'
    """
    if not (isinstance(kind, type) and issubclass(kind, WorstClass)) or isabstract(kind):
        raise BadInput(f"A privacy model is a class that extends WorstClass and has the method of; got {kind!r}.")
    lacking = [part for part in ("name", "title", "facts") if not hasattr(kind, part)]
    if lacking:
        raise BadInput(f"The privacy model {kind.__name__} lacks {', '.join(lacking)}.")
    if not isinstance(kind.facts, ModelFacts):
        raise BadInput(f"The facts of a privacy model are `ModelFacts`; those of {kind.__name__} are {kind.facts!r}.")
    found = cast("ModelKind", kind)
    if found.name in MODELS and MODELS[found.name] is not kind:
        raise BadInput(f"There is a privacy model of the name {found.name!r} already; give yours another name.")
    return found


def audited_models() -> tuple[ModelKind, ...]:
    """Return the built-in models that an audit reports of every sensitive attribute, in the order of its report."""
    return tuple(kind for kind in MODELS.values() if kind.audited and kind.facts.needs_sensitive)


def population_models() -> tuple[ModelKind, ...]:
    """Return the built-in models that compare a table with a population."""
    return tuple(kind for kind in MODELS.values() if kind.facts.needs_population)


# -- how models are required in a recipe


class RequirementForm:
    """The requirements that one key of the `[privacy]` section of a recipe can state.

    >>> form = requirement_form("t")
    >>> form.choice, form.choices, form.is_compared
    ('distance', ('equal', 'ordered', 'hierarchical'), True)
    """

    def __init__(self, key: str, kinds: Iterable[tuple[ModelKind, RecipeForm]]) -> None:
        self.key = key
        self._kinds = tuple(kinds)
        self.choice = next((form.choice[0] for _, form in self._kinds if form.choice is not None), None)
        """The option that selects one of several models."""
        self.choices = tuple(form.choice[1] for _, form in self._kinds if form.choice is not None)
        self.usual = next((form.choice[1] for _, form in self._kinds if form.usual and form.choice is not None), None)
        """The value of that option if it is not given."""
        self.is_compared = any(kind.facts.needs_reference for kind, _ in self._kinds)
        """Whether the requirement may name the distribution that classes are compared with."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Options that one model or another takes besides."""
        return tuple(parameter for _, form in self._kinds for parameter in form.parameters)

    def selected(self, chosen: str | None) -> tuple[ModelKind, RecipeForm]:
        """Return the model that the option selects."""
        for kind, form in self._kinds:
            if form.choice is None or form.choice[1] == (self.usual if chosen is None else chosen):
                return kind, form
        raise BadInput(f"No privacy model is known for {self.key} with {self.choice} = {chosen!r}.")


def requirement_keys() -> tuple[str, ...]:
    """Return the keys of `[privacy]` that require something of sensitive attributes, those of installed models last.

    >>> requirement_keys()[:6]
    ('l', 'p', 't', 'alpha', 'beta', 'delta')
    """
    built_in = tuple(_built_in_forms())
    return (*built_in, *(name for name in installed_names("paranym.privacy_models") if name not in built_in))


def cell_value_parameters() -> frozenset[str]:
    """Return the options of requirements that name a value of a sensitive attribute; a manifest leaves them out.

    >>> sorted(cell_value_parameters())
    ['only']
    """
    forms = [form for key in requirement_keys() if (form := requirement_form(key)) is not None]
    return frozenset(parameter.name for form in forms for parameter in form.parameters if parameter.is_cell_value)


def requirement_form(key: str) -> RequirementForm | None:
    """Return what a key of `[privacy]` can require; None if it is not the key of a privacy model."""
    forms = _built_in_forms()
    if key in forms:
        return forms[key]
    kind = None if key in MODELS else find_model(key)
    return None if kind is None else form_of(kind)


def form_of(kind: ModelKind) -> RequirementForm:
    """Return how a model that is not built in is required: by its name."""
    own = [form for form in kind.forms if form.key == kind.name] or [RecipeForm(kind.name)]
    return RequirementForm(kind.name, [(kind, own[0])])


@cache
def _built_in_forms() -> dict[str, RequirementForm]:
    keys = dict.fromkeys(form.key for kind in MODELS.values() for form in kind.forms)
    return {
        key: RequirementForm(key, [(kind, form) for kind in MODELS.values() for form in kind.forms if form.key == key])
        for key in keys
    }


# -- what is traded off


def objective_names() -> tuple[str, ...]:
    """Return the names under which built-in models can be objectives, the short ones first.

    >>> objective_names()[:3]
    ('l', 't', 'frequency-l')
    """
    names = [name for kind in MODELS.values() for name in kind.objectives]
    return (*(name for name in names if name not in MODELS), *(name for name in names if name in MODELS))


def find_objective(name: str) -> ModelKind | None:
    """Return the model that an objective such as `entropy-l` or `entropy-l:illness` names; None if it names none.

    >>> find_objective("l:illness").name
    'frequency-l'
    """
    key = name.partition(":")[0]
    for kind in MODELS.values():
        if key in kind.objectives:
            return kind
    kind_found = None if key in MODELS else find_model(key)
    return kind_found if kind_found is not None and key in kind_found.objectives else None


def _check_entry_point(group: str, name: str, own: str) -> None:
    if name != own:
        raise BadInput(f"The entry point {name!r} of {group} must have the name of what it loads, {own!r}.")
