"""The guided start: the few questions that matter, what their words mean, and what follows from the answers."""

import csv
import sys
from textwrap import fill

from rich.text import Text

from paranym.cli.arguments import read_share
from paranym.cli.show import out
from paranym.cli.show_draft import show_columns, uniqueness
from paranym.drafting import Draft, draft
from paranym.drafting.words import shown
from paranym.errors import BadInput, UnknownAttribute
from paranym.model.schema import Role

_QUESTIONS = {
    Role.IDENTIFIER: (
        "An identifier names a person by itself, such as a name, an id or a phone number; it is left out.",
        "Which columns shall be left out?",
    ),
    Role.SENSITIVE: (
        "A sensitive attribute is what nobody should learn about a person, such as an illness; it is kept.",
        "Which columns are sensitive?",
    ),
    Role.QUASI_IDENTIFIER: (
        "A quasi-identifier is what others can know about a person, such as age or postal code; it is generalized.",
        "Which columns could others know?",
    ),
}


def ask_about(drafted: Draft) -> Draft:
    """Ask, column by column group, and draft anew what the answers say; an empty answer keeps what is proposed."""
    show_columns(drafted)
    out.print()
    out.print(Text(uniqueness(drafted), style="bold"))
    _say("Answer with names of columns between commas, - for none; just Enter keeps what is proposed in brackets.")
    roles = {name: column.role for name, column in drafted.columns.items()}
    for role in _QUESTIONS:
        roles = _ask_role(role, roles)
    left = [name for name, role in roles.items() if role is Role.IDENTIFIER and drafted[name].role is not role]
    if left:
        roles |= _ask_left_over(left, roles)
    drafted = _ask_what_to_spare(_anew(drafted, roles))
    _say("Generalizing makes rows alike; k-anonymous means that everybody is alike with at least k - 1 others.")
    drafted.suppression = _ask_share(drafted.suppression)
    out.print()
    return drafted


def _anew(before: Draft, roles: dict[str, Role]) -> Draft:
    """The draft that the answers lead to; where they say what was proposed, its reason stays."""
    if all(role is before[name].role for name, role in roles.items()):
        return before
    after = draft(before.data, roles=roles, table=before.table, dialect=before.dialect, missing=before.missing)
    for name, column in after.columns.items():
        if column.role is before[name].role and column.role is not Role.QUASI_IDENTIFIER:
            column.why = before[name].why
    return after


def _ask_what_to_spare(drafted: Draft) -> Draft:
    """Show what the answers lead to, and what leaving out one column more would, until that is enough."""
    while True:
        out.print()
        out.print(Text(uniqueness(drafted), style="bold"))
        known = drafted.having(Role.QUASI_IDENTIFIER)
        if len(known) < 2 or not drafted.unique:
            return drafted
        _say(f"The fewer columns, the finer they stay. {_help_of_each(drafted)}")
        spared = _ask_names("Which of them can your readers do without?", [], known)
        if not spared:
            return drafted
        if set(spared) == set(known):
            out.print(Text("One of them must stay: without any there is nothing to generalize.", style="yellow"))
            continue
        roles = {name: column.role for name, column in drafted.columns.items()}
        drafted = _anew(drafted, roles | dict.fromkeys(spared, Role.IDENTIFIER))


def _help_of_each(drafted: Draft) -> str:
    most = sorted(drafted.unique_without, key=drafted.unique_without.__getitem__)[:3]
    parts = [f"{drafted.unique_without[name]:,} without {shown(name)}" for name in most]
    return f"Rows that would still be unique: {', '.join(parts)}."


def _ask_role(role: Role, roles: dict[str, Role]) -> dict[str, Role]:
    meaning, question = _QUESTIONS[role]
    now = [name for name, one in roles.items() if one is role]
    _say(meaning)
    chosen = _ask_names(question, now, tuple(roles))
    dropped = [name for name in now if name not in chosen]
    # what is taken out of a list goes where it does no harm: others may know it, or it is left out
    elsewhere = Role.QUASI_IDENTIFIER if role is not Role.QUASI_IDENTIFIER else Role.IDENTIFIER
    return roles | dict.fromkeys(dropped, elsewhere) | dict.fromkeys(chosen, role)


def _ask_left_over(left: list[str], roles: dict[str, Role]) -> dict[str, Role]:
    _say(f"In no list any more, and therefore left out: {', '.join(left)}.")
    kept = _ask_names("Which of them may be published as they are?", [], tuple(roles))
    return dict.fromkeys(kept, Role.OTHER)


def _ask_names(question: str, now: list[str], known: tuple[str, ...]) -> list[str]:
    """Ask until all names are those of columns."""
    while True:
        answer = _read(f"{question} [{', '.join(now) or '-'}]")
        names = now if answer is None or not answer.strip() else _names(answer)
        strangers = [name for name in names if name not in known and name != "-"]
        if not strangers:
            return [name for name in names if name != "-"]
        out.print(Text(str(UnknownAttribute(strangers[0], known)), style="yellow"))


def _ask_share(share: float) -> float:
    _say("Rows that stay rare in spite of all may be left out (suppressed); a few of them save the others much detail.")
    while True:
        answer = _read(f"Which share of the rows may be left out at most? [{share:.0%}]")
        if answer is None or not answer.strip():
            return share
        try:
            return read_share("The share", answer) or 0.0
        except BadInput as fault:
            out.print(Text(str(fault), style="yellow"))


def _names(answer: str) -> list[str]:
    return [name.strip() for line in csv.reader([answer], skipinitialspace=True) for name in line if name.strip()]


def _read(question: str) -> str | None:
    """The next line of standard input; None at its end, which keeps all that is proposed."""
    out.print(Text(question, style="bold"))
    out.print(Text("> "), end="")
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        out.print(Text(line.rstrip("\n") or "(Enter)"))  # what was piped in would not be seen otherwise
    return line or None


def _say(sentence: str) -> None:
    out.print()
    out.print(Text(fill(sentence, out.width, break_on_hyphens=False), style="dim"))
