"""Gather the content of a report from the problem, the front, the original table, and the release or a trial."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from paranym.audits.audit import audit_table
from paranym.choice import knee
from paranym.errors import BadInput
from paranym.model.local_labels import LocalLabels
from paranym.model.schema import Role
from paranym.problem import Problem
from paranym.publishing.plan import Plan, plan_release, point_at
from paranym.releases.manifest import software
from paranym.releases.releasing import Release, rehearse
from paranym.releases.writing import Tell
from paranym.report.account import Account
from paranym.report.effects import View, hit_groups
from paranym.results.front import Front, Point
from paranym.wording.numbers import limit


def check_reportable(problem: Problem) -> None:
    """Raise before a long search if no report is possible: people are counted, or the table was counted at a floor."""
    problem.must_count_rows("A report")
    if problem.floor is not None:
        raise BadInput(
            f"A report needs all combinations of {', '.join(problem.attributes)}, and they do not fit into the memory "
            "that is allowed. Allow more (memory under [data]), or release without a report (`paranym release`)."
        )


def account_of(
    problem: Problem,
    front: Front,
    *,
    point: Point | None = None,
    release: Release | None = None,
    chosen: Mapping[str, Any] | None = None,
    command: str | None = None,
    memory: str | None = None,
    tell: Tell | None = None,
) -> Account:
    """Return the contents of a report; the arguments are those of `write_report`."""
    check_reportable(problem)
    tell = tell or (lambda _: None)
    point, reason = _settled(problem, front, point, release, chosen)
    made = rehearse(problem, point, memory=memory, tell=tell) if release is None else release
    plan = made.publication if isinstance(made.publication, Plan) else plan_release(problem, point)
    verification = made.verification
    if verification.audit is None:
        raise BadInput("The release does not match its manifest, so there is nothing to report.")
    with problem.source.open(memory=memory) as opened:
        opened.materialize(_audited(problem, opened.columns))
        tell("measuring the original table")
        before = audit_table(opened, problem.schema)
        tell("counting suppressed rows by group")
        hit = tuple(hit_groups(plan, opened))
    view, now = View(plan), datetime.now().astimezone()
    tell("measuring the error of queries")
    return Account(
        table=problem.source.name,
        roles={name: _role(problem, name) for name in opened.columns},
        front=front,
        point=point,
        reason=reason,
        claims=plan.claims,
        published=view.published(),
        before=before,
        verification=verification,
        after=verification.audit,
        queries=view.queries(),
        left_out=(*hit, *view.left_out()),
        demands=str(problem.demands) if problem.demands.are_made else None,
        manifest=None if release is None else release.manifest,
        command=command,
        software=software(),
        written=f"{now.day} {now:%B %Y, %H:%M %Z}",
        is_released=release is not None,
        warnings=_warnings(problem, made) if release is None else release.warnings,
    )


def _audited(problem: Problem, columns: Sequence[str]) -> list[str]:
    """Return the columns that an audit looks at: all but those that are dropped."""
    dropped = {each.name for each in problem.schema.having(Role.DROP)}
    return [name for name in columns if name not in dropped]


def _settled(
    problem: Problem, front: Front, point: Point | None, release: Release | None, chosen: Mapping[str, Any] | None
) -> tuple[Point, str]:
    """Return the point, and the sentence that says why it was chosen."""
    manifest = {} if release is None else release.manifest or {}
    reason = _reason(chosen or manifest.get("chosen") or {})
    if point is not None:
        return point, reason
    if release is not None:
        return _released_point(problem, front, release), reason
    if not len(front):
        raise BadInput("The front has no solution to report on.")
    found = knee(front) or front[0]
    return found, (
        "No choice has been made yet: this is the knee of the Pareto front, beyond which a larger k costs much "
        "information."
    )


def _reason(chosen: Mapping[str, Any]) -> str:
    """Return how the choice was made, in words."""
    k, loss, number, levels = (chosen.get(name) for name in ("k", "max_loss", "point", "levels"))
    if levels is not None:
        return "The levels of the columns were given" + ("." if k is None else f", with a k of at least {k:,}.")
    if k is not None and loss is not None:
        return (
            f"k had to be at least {k:,}, and the information loss at most {limit(loss)}. Among the solutions that "
            "meet both, this one is the best trade-off."
        )
    if k == 1:
        return "No protection was requested (k = 1). Among all solutions, this one loses the least information."
    if k is not None:
        return (
            f"k had to be at least {k:,}. Among the solutions that achieve it, this one has the least information loss."
        )
    if loss is not None:
        return (
            f"The information loss had to be at most {limit(loss)}. Within this limit, this solution has the largest k."
        )
    if number is not None:
        return f"It was chosen by hand: solution {number} of the front."
    return "It was chosen by hand from the solutions of the front."


def _released_point(problem: Problem, front: Front, release: Release) -> Point:
    """Return the point that was released, which need not be on the front."""
    if isinstance(release.recoding, LocalLabels):
        raise BadInput(
            "A report covers levels and cuts of hierarchies; this release is a local recoding (`paranym local`)."
        )
    claims, levels = release.promise, release.recoding.levels
    for point in front:
        same = (point.k, point.suppressed) == (claims.k, claims.suppressed)
        if same and (point.cuts is not None or dict(point.levels) == levels):
            return point
    known = {name: level for name, level in levels.items() if level is not None}
    if len(known) < len(levels):
        raise BadInput("The release uses cuts that are not on this front. Name the front that it was chosen from.")
    return point_at(problem, known, claims.k)


def _warnings(problem: Problem, trial: Release) -> tuple[str, ...]:
    """Return the warnings of a trial, and the findings that would stop its publication."""
    stopping = () if trial.gate is None else trial.gate.stopping
    nameless = problem.without_role
    roles = f"It cannot be published yet: give a role to {', '.join(nameless)}." if nameless else ""
    return (
        *([roles] if roles else []),
        *(f"It will not be published unless you accept this ({each.name}): {each.says}" for each in stopping),
        *trial.warnings,
    )


def _role(problem: Problem, column: str) -> str:
    roles = {each.name: each.role.value for each in problem.schema.attributes}
    return roles.get(column, "none")
