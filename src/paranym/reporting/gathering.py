"""What a report tells: gathered from the problem, the front, the original table, and the release or a trial of it."""

import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from paranym.audits.auditing import audit_table
from paranym.choice import knee
from paranym.choice.wording import limit
from paranym.errors import BadInput
from paranym.model.front import Front, Point
from paranym.model.local_labels import LocalLabels
from paranym.model.release import Verification
from paranym.model.schema import Role
from paranym.problem import Problem
from paranym.releases.manifest import software
from paranym.releases.planning import plan_release, point_at
from paranym.releases.releasing import Release, Tell
from paranym.releases.releasing import release as make_release
from paranym.report.account import Account
from paranym.reporting.counting import View, hit_groups


def check_reportable(problem: Problem) -> None:
    """Raise if the table was counted at a floor: better now than after a long search."""
    if problem.floor is not None:
        raise BadInput(
            f"A report takes all combinations of {', '.join(problem.attributes)}, and they do not fit the memory that "
            "is allowed. Allow more (memory under [data]), or release without a report (`paranym release`)."
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
    """Gather what a report tells, as `write_report` takes it."""
    check_reportable(problem)
    tell = tell or (lambda _: None)
    point, reason = _settled(problem, front, point, release, chosen)
    plan = plan_release(problem, point)
    verification, made = _verified(problem, point, release, memory, tell)
    if verification.audit is None:
        raise BadInput("The release is not what was promised, so that there is nothing to report.")
    with problem.source.open(memory=memory) as opened:
        tell("measuring the original table")
        before = audit_table(opened, problem.schema)
        tell("counting who is left out")
        hit = tuple(hit_groups(plan, opened))
    view, now = View(plan), datetime.now().astimezone()
    tell("asking what the table is still good for")
    return Account(
        table=problem.source.name,
        roles={name: _role(problem, name) for name in opened.columns},
        front=front,
        point=point,
        reason=reason,
        promise=plan.promise,
        published=view.published(),
        before=before,
        verification=verification,
        after=verification.audit,
        queries=view.queries(),
        left_out=(*hit, *view.left_out()),
        demands=str(problem.demands) if problem.demands.are_made else None,
        manifest=None if made is None else made.manifest,
        command=command,
        software=software(),
        written=f"{now.day} {now:%B %Y, %H:%M %Z}",
        is_released=made is not None,
        warnings=() if made is None else made.warnings,
    )


def _settled(
    problem: Problem, front: Front, point: Point | None, release: Release | None, chosen: Mapping[str, Any] | None
) -> tuple[Point, str]:
    """The point, and why it is the one."""
    manifest = {} if release is None else release.manifest or {}
    reason = _reason(chosen or manifest.get("chosen") or {})
    if point is not None:
        return point, reason
    if release is not None:
        return _released_point(problem, front, release), reason
    if not len(front):
        raise BadInput("The front has no point to tell about.")
    found = knee(front) or front[0]
    return found, "Nobody has chosen yet: this is the knee of the trade-off, beyond which more protection gets dear."


def _reason(chosen: Mapping[str, Any]) -> str:
    """How a choice was made, in words."""
    k, loss, number, levels = (chosen.get(name) for name in ("k", "max_loss", "point", "levels"))
    if levels is not None:
        return "The levels of the columns were given" + ("." if k is None else f", with a k of at least {k:,}.")
    if k is not None and loss is not None:
        return f"Of the ways that reach a k of {k:,} and lose at most {limit(loss)}, this one gives most for its loss."
    if k == 1:
        return "No protection was asked for (k = 1); of all ways, this one loses least."
    if k is not None:
        return f"At least {k:,} people had to be alike; of all ways to reach that, this one loses least."
    if loss is not None:
        return f"At most {limit(loss)} of the detail could be lost; within that, this one protects best."
    if number is not None:
        return f"It was picked by hand: number {number} in the list of all rational choices."
    return "It was picked by hand from the list of all rational choices."


def _released_point(problem: Problem, front: Front, release: Release) -> Point:
    """The point that a release was made of, which need not be on the front."""
    if isinstance(release.recoding, LocalLabels):
        raise BadInput("A report tells about nodes and cuts; this release gathers rows into groups (`paranym local`).")
    promise, levels = release.promise, release.recoding.levels
    for point in front:
        same = (point.k, point.suppressed) == (promise.k, promise.suppressed)
        if same and (point.cuts is not None or dict(point.levels) == levels):
            return point
    known = {name: level for name, level in levels.items() if level is not None}
    if len(known) < len(levels):
        raise BadInput(
            "The release was made of cuts that are not on this front. Name the front that it was taken from."
        )
    return point_at(problem, known, promise.k)


def _verified(
    problem: Problem, point: Point, release: Release | None, memory: str | None, tell: Tell
) -> tuple[Verification, Release | None]:
    """How the release was found when it was read back; without one, how it would be."""
    if release is not None:
        return release.verification, release
    if problem.source.is_frame:
        return make_release(problem, point, memory=memory).verification, None
    with tempfile.TemporaryDirectory(prefix="paranym-") as folder:
        made = make_release(problem, point, Path(folder) / "trial.parquet", memory=memory, tell=tell)
        return made.verification, None


def _role(problem: Problem, column: str) -> str:
    roles = {each.name: each.role.value for each in problem.schema.attributes}
    return roles.get(column, Role.OTHER.value)
