"""Privacy requirements as a recipe writes them, derived from the forms that privacy models state in the catalogue."""

from collections.abc import Iterable, Mapping
from functools import cache, reduce
from operator import or_
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, create_model, model_validator

from paranym.measures.catalogue import RequirementForm, requirement_form
from paranym.measures.recipe_form import Parameter
from paranym.recipe.section import Section


class RequirementSection(Section):
    """A value that a privacy model must achieve, of one sensitive attribute or of all.

    The section of each key of `[privacy]` extends this by the options of its models.
    """

    form: ClassVar[RequirementForm]

    value: float = Field(gt=0, allow_inf_nan=False)
    attribute: str | None = None
    """The sensitive attribute; by default every one."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        form = self.form
        _, own = form.selected(self.chosen)
        for parameter in form.parameters:
            if parameter.name in self.model_fields_set and parameter not in own.parameters:
                owners = [choice for choice in form.choices if parameter in form.selected(choice)[1].parameters]
                raise ValueError(
                    f"only the {form.choice} {' or '.join(map(repr, owners))} has a {parameter.name}; "
                    f"the {form.choice} is {self.chosen!r}"
                )
        if own.whole and self.value != int(self.value):
            raise ValueError(f"the value is a whole number for the {form.choice} {self.chosen!r}; got {self.value!r}")
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the form of the section, from which its class is made when needed."""
        return _restored, (self.form, self.model_dump(exclude_unset=True))

    @property
    def chosen(self) -> str | None:
        """The option that selects one of the models of the key."""
        return None if self.form.choice is None else getattr(self, self.form.choice)

    @property
    def options(self) -> Mapping[str, Any]:
        """The parameters of the model that is selected."""
        return {each.name: getattr(self, each.name) for each in self.form.selected(self.chosen)[1].parameters}


@cache
def section_of(key: str) -> type[RequirementSection] | None:
    """Return the section of a key of `[privacy]`; None if no privacy model is required by it.

    >>> tuple(section_of("l").model_fields)
    ('value', 'attribute', 'kind', 'c')
    """
    form = requirement_form(key)
    return None if form is None else section_by(form)


def section_by(form: RequirementForm) -> type[RequirementSection]:
    """Return the section of requirements of this form."""
    fields: dict[str, Any] = {}
    if form.is_compared:
        fields["reference"] = (Literal["released", "original"], "released")
    if form.choice is not None:
        fields[form.choice] = (Literal[form.choices], form.usual or ...)
    fields |= {each.name: _field(each) for each in form.parameters}
    section = create_model(f"Requirement_{form.key}", __base__=RequirementSection, **fields)
    section.form = form
    return section


def _restored(form: RequirementForm, written: dict[str, Any]) -> RequirementSection:
    section = section_of(form.key) if requirement_form(form.key) is not None else None
    return (section or section_by(form)).model_validate(written)


def requirements_by(sections: Mapping[str, type[RequirementSection]]) -> type[Section]:
    """Return a section with a list of requirements for each key."""
    fields: dict[str, Any] = {
        f"key{place}": (_list_of(section), Field(alias=key)) for place, (key, section) in enumerate(sections.items())
    }
    return create_model("Requirements", __base__=Section, **fields)


def _list_of(section: Any) -> Any:
    return list[section]


def as_list(written: object) -> object:
    """Return requirements as a list of tables: a number is short for a table with that value, a table for a list."""
    each: Iterable[object] = written if isinstance(written, list) else [written]
    return [one if isinstance(one, dict) else {"value": one} for one in each]


def _field(parameter: Parameter) -> tuple[Any, Any]:
    kinds: Any = reduce(or_, parameter.kinds)
    if parameter.default is None:
        kinds = kinds | None
    if parameter.positive:
        return kinds, Field(default=parameter.default, gt=0, allow_inf_nan=False)
    return kinds, parameter.default
