"""The guided start: a few questions, with the terms explained, and the draft that the answers lead to."""

import sys

from rich.text import Text

from paranym.cli.options.levels import read_names
from paranym.cli.options.shared import read_share
from paranym.cli.show.draft import show_columns, uniqueness
from paranym.cli.terminal import out
from paranym.drafting import Draft, draft
from paranym.errors import BadInput, UnknownAttribute
from paranym.model.schema import Role
from paranym.recognition.words import shown
from paranym.wording.numbers import limit

_QUESTIONS = {
    Role.DROP: (
        "An identifier identifies a person by itself, such as a name, an id or a phone number. It is not published.",
        "Which columns should not be published?",
    ),
    Role.SENSITIVE: (
        "A sensitive attribute must not be linked to a person, such as an illness. It is published unchanged.",
        "Which columns are sensitive?",
    ),
    Role.QUASI_IDENTIFIER: (
        "A quasi-identifier could be known to others, such as age or postal code. It is generalized.",
        "Which columns are quasi-identifiers?",
    ),
}


def ask_about(drafted: Draft) -> Draft:
    """Ask about the roles of columns, and draft again with the answers; an empty answer keeps the proposal."""
    show_columns(drafted)
    out.print()
    out.print(Text(uniqueness(drafted), style="bold"))
    _say("Answer with column names separated by commas, or - for none. Enter keeps the proposal in brackets.")
    roles = {name: column.role for name, column in drafted.columns.items()}
    for role in _QUESTIONS:
        roles = _ask_role(role, roles)
    left = [name for name, role in roles.items() if not role.is_published and drafted[name].role.is_published]
    if left:
        roles |= _ask_left_over(left, roles)
    drafted = _ask_what_to_spare(_redrafted(drafted, roles))
    _say(
        "Generalization makes rows indistinguishable. In a k-anonymous table, every equivalence class (rows with the "
        "same quasi-identifiers) has at least k rows."
    )
    drafted.suppression = _ask_share(drafted.suppression)
    out.print()
    return drafted


def _redrafted(before: Draft, roles: dict[str, Role]) -> Draft:
    """Return the draft for the answers; columns whose proposed role was kept keep its reason."""
    if all(role is before[name].role for name, role in roles.items()):
        return before
    after = draft(
        before.data,
        roles=roles,
        table=before.table,
        dialect=before.dialect,
        missing=before.missing,
        views=before.views,
    )
    for name, column in after.columns.items():
        if column.role is before[name].role and column.role is not Role.QUASI_IDENTIFIER:
            column.why = before[name].why
    return after


def _ask_what_to_spare(drafted: Draft) -> Draft:
    """Show the unique rows for the answers, and offer to drop further columns until the user declines."""
    while True:
        out.print()
        out.print(Text(uniqueness(drafted), style="bold"))
        known = drafted.having(Role.QUASI_IDENTIFIER)
        if len(known) < 2 or not drafted.unique:
            return drafted
        _say(f"The fewer quasi-identifiers, the less information is lost. {_help_of_each(drafted)}")
        spared = _ask_names("Which of them can your readers do without?", [], known)
        if not spared:
            return drafted
        if set(spared) == set(known):
            out.print(
                Text("Keep at least one: without quasi-identifiers there is nothing to generalize.", style="yellow")
            )
            continue
        roles = {name: column.role for name, column in drafted.columns.items()}
        drafted = _redrafted(drafted, roles | dict.fromkeys(spared, Role.DROP))


def _help_of_each(drafted: Draft) -> str:
    most = sorted(drafted.unique_without, key=drafted.unique_without.__getitem__)[:3]
    parts = [f"{drafted.unique_without[name]:,} without {shown(name)}" for name in most]
    return f"Rows that would still be unique: {', '.join(parts)}."


def _ask_role(role: Role, roles: dict[str, Role]) -> dict[str, Role]:
    meaning, question = _QUESTIONS[role]
    now = [name for name, one in roles.items() if one is role or not (role.is_published or one.is_published)]
    _say(meaning)
    chosen = _ask_names(question, now, tuple(roles))
    dropped = [name for name in now if name not in chosen]
    # a column that is taken out of a list gets a safe role: quasi-identifier, or not published
    elsewhere = Role.QUASI_IDENTIFIER if role is not Role.QUASI_IDENTIFIER else Role.DROP
    new = [name for name in chosen if name not in now]  # a proposed identifier stays one
    return roles | dict.fromkeys(dropped, elsewhere) | dict.fromkeys(new, role)


def _ask_left_over(left: list[str], roles: dict[str, Role]) -> dict[str, Role]:
    _say(f"No longer in any list, and therefore not published: {', '.join(left)}.")
    kept = _ask_names("Which of them may be published unchanged?", [], tuple(roles))
    return dict.fromkeys(kept, Role.KEEP)


def _ask_names(question: str, now: list[str], known: tuple[str, ...]) -> list[str]:
    """Ask until all names are names of columns."""
    while True:
        answer = _read(f"{question} [{', '.join(now) or '-'}]")
        names = now if answer is None or not answer.strip() else [*read_names(answer)]
        unknown = [name for name in names if name not in known and name != "-"]
        if not unknown:
            return [name for name in names if name != "-"]
        out.print(Text(str(UnknownAttribute(unknown[0], known)), style="yellow"))


def _ask_share(share: float) -> float:
    _say(
        "Rows whose equivalence class is still smaller than k after generalization can be suppressed (removed). "
        "Suppressing a few rows often saves much information in the others."
    )
    while True:
        answer = _read(f"What share of the rows may be suppressed at most? [{limit(share)}]")
        if answer is None or not answer.strip():
            return share
        try:
            return read_share("The share", answer) or 0.0
        except BadInput as fault:
            out.print(Text(str(fault), style="yellow"))


def _read(question: str) -> str | None:
    """Return the next line of standard input, or None at its end, which keeps all proposals."""
    out.print(Text(question, style="bold"))
    out.print(Text("> "), end="")
    out.file.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        out.print(Text(line.rstrip("\n") or "(Enter)"))  # piped input would not be visible otherwise
    return line or None


def _say(sentence: str) -> None:
    out.print()
    out.print(Text(sentence, style="dim"))
