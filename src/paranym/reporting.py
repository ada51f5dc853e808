"""From a front and a choice to a report: what is told is gathered here; how it looks is the business of `report`."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.auditing import audit_table
from paranym.choice import knee
from paranym.choice.wording import limit
from paranym.engines.base import Coding, Column, Table
from paranym.engines.coding import OrderedValues
from paranym.errors import BadInput
from paranym.measures.utility.queries import Boxes, answered, boxes_of_labels, usual_workload
from paranym.model.axis import Axis
from paranym.model.front import Front, Point
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing
from paranym.model.recoding import AttributeRecoding
from paranym.model.release import Verification
from paranym.model.schema import Role
from paranym.model.wording import counted
from paranym.problem import Problem
from paranym.releases.manifest import software
from paranym.releases.planning import Plan, packed, plan_release, point_at
from paranym.releases.releasing import Release
from paranym.releases.releasing import release as make_release
from paranym.releases.staging import exists, leftovers, publish, remove, staged
from paranym.report.account import Account, Group, LeftOut, Published, Queries
from paranym.report.page import report_page
from paranym.report.printing import browser, print_page

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
Tell = Callable[[str], None]
"""Hears which step begins."""

_ENDINGS = (".html", ".htm", ".pdf")
_EXAMPLES = 4
_GROUPS = 12
"""More groups than these are told by those that are hit hardest."""
_RANGES = 5
"""Numbers of many different sizes are told in so many ranges."""
_RARE = 0.1
"""Where a larger share of the rows is in groups too small to be told, a coarser level is told."""
_BROAD = 0.01
"""A question is broad if it is truly about so large a share of the rows."""
_NONE = "(missing)"


def write_report(
    problem: Problem,
    front: Front,
    to: Path | str | Sequence[Path | str],
    *,
    point: Point | None = None,
    release: Release | None = None,
    chosen: Mapping[str, Any] | None = None,
    command: str | None = None,
    overwrite: bool = False,
    memory: str | None = None,
    tell: Tell | None = None,
) -> Path:
    """Write an account of a choice, for a board that has to agree to it: one page that works offline.

    `to` ends in .html, or in .pdf, which takes a browser on this machine to print it; a list names several files. The
    page tells about the `release`, if there is one, which settles the point as well. Otherwise it tells what a release
    of the `point` would be, from one that is made, read back and thrown away; without a point, of the knee of the
    front. `chosen` says how the point was chosen, as in `pn.release`, and `command` what makes the same again. Nothing
    is overwritten unless `overwrite` says so. Values of the table are told only where at least k rows share them.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> import tempfile
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    >>> front = pn.frontier(problem)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pn.write_report(problem, front, f"{folder}/report.html", point=front[1])
    ...     "at least 3 people" in written.read_text(encoding="utf-8")
    True
    """
    files = [Path(each) for each in ([to] if isinstance(to, str | Path) else to)]
    check_report_files(files, overwrite=overwrite)
    found = account_of(
        problem, front, point=point, release=release, chosen=chosen, command=command, memory=memory, tell=tell
    )
    if tell is not None:
        tell("writing the report")
    save_report(found, files, overwrite=overwrite)
    return files[0]


def save_report(account: Account, files: Sequence[Path], *, overwrite: bool = False) -> None:
    """Write what was gathered: no file before all are made, and each whole or not at all."""
    html = report_page(account)
    with ExitStack() as folders:
        made = []
        for file in files:
            for folder in leftovers(file):
                remove(folder)
            made.append(_made(html, file, folders.enter_context(staged(file))))
        for one, file in zip(made, files, strict=True):
            publish(one, file, overwrite=overwrite)


def check_report_files(files: Sequence[Path], *, overwrite: bool = False) -> None:
    """Raise if a report cannot be written there; better now than after a long search."""
    if not files:
        raise BadInput("Say where the report shall go, such as report.html.")
    for file in files:
        if file.suffix.lower() not in _ENDINGS:
            raise BadInput(f"A report is written as .html or .pdf; got {file.name!r}.")
        if file.is_dir() or not file.parent.is_dir():
            raise BadInput(f"Cannot write {str(file)!r}: there is no folder {str(file.parent)!r}, or it is a folder.")
        if file.exists() and not overwrite:
            raise exists(file)
    if any(file.suffix.lower() == ".pdf" for file in files):
        browser()


class Reporter:
    """What a front writes reports with: it knows the problem that the front does not. Copies of the front share it."""

    def __init__(self, problem: Problem) -> None:
        """For fronts of that problem."""
        self._problem = problem

    def __call__(self, front: Front, to: Path | str, *, point: Point | None, overwrite: bool) -> Path:
        """Write a report about a front."""
        return write_report(self._problem, front, to, point=point, overwrite=overwrite)

    def __deepcopy__(self, _: object) -> "Reporter":
        return self

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        """A front that goes elsewhere leaves the table behind."""
        return _nothing, ()


def _nothing() -> None:
    return None


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
    if k is not None:
        return f"At least {k:,} people had to be alike; of all ways to reach that, this one loses least."
    if loss is not None:
        return f"At most {limit(loss)} of the detail could be lost; within that, this one protects best."
    if number is not None:
        return f"It was picked by hand: number {number} in the list of all rational choices."
    return "It was picked by hand from the list of all rational choices."


def _released_point(problem: Problem, front: Front, release: Release) -> Point:
    """The point that a release was made of, which need not be on the front."""
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
    tell = tell or (lambda _: None)
    point, reason = _settled(problem, front, point, release, chosen)
    plan = plan_release(problem, point)
    verification, made = _verified(problem, point, release, memory, tell)
    if verification.audit is None:
        raise BadInput("The release is not what was promised, so that there is nothing to report.")
    with problem.source.open(memory=memory) as opened:
        tell("measuring the original table")
        before = audit_table(opened, problem.schema, hierarchies=problem.trees)
        tell("counting who is left out")
        hit = tuple(_hit(plan, opened))
    view, now = _View(plan), datetime.now().astimezone()
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


def _verified(
    problem: Problem, point: Point, release: Release | None, memory: str | None, tell: Tell
) -> tuple[Verification, Release | None]:
    """How the release was found when it was read back; without one, how it would be."""
    if release is not None:
        return release.verification, release
    if problem.source.path is None:
        return make_release(problem, point, memory=memory).verification, None
    with tempfile.TemporaryDirectory(prefix="paranym-") as folder:
        made = make_release(problem, point, Path(folder) / "trial.parquet", memory=memory, tell=tell)
        return made.verification, None


def _role(problem: Problem, column: str) -> str:
    roles = {each.name: each.role.value for each in problem.schema.attributes}
    return roles.get(column, Role.OTHER.value)


class _View:
    """A plan, seen from the combinations of the table that it is about."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._problem = plan, plan.problem
        frequency, recoding = plan.problem.frequency, plan.recoding
        self._leaves, self._counts = frequency.codes, frequency.counts
        self._labelled = [np.array(each.codes, np.int64) for each in recoding.attributes]
        self._labels = np.column_stack([codes[self._leaves[:, j]] for j, codes in enumerate(self._labelled)])
        sizes = [len(each.labels) for each in recoding.attributes]
        self._gone = _among(packed(self._labels, sizes), packed(plan.suppressed, sizes))

    def published(self) -> tuple[Published, ...]:
        return tuple(self._attribute(j, each) for j, each in enumerate(self._plan.recoding.attributes))

    def queries(self) -> Queries:
        """How far counting questions are off."""
        weights = [each.weight for each in self._plan.recoding.attributes]
        axes = [Axis(*pair) for pair in zip(self._problem.hierarchies, weights, strict=True)]
        positions = np.column_stack([axis.positions[self._leaves[:, j]] for j, axis in enumerate(axes)])
        classes, member = np.unique(self._labels[~self._gone], axis=0, return_inverse=True)
        rows = np.bincount(member.reshape(-1), weights=self._counts[~self._gone], minlength=len(classes))
        answers = answered(
            usual_workload(axes, combinations=len(positions)),
            axes,
            Boxes(positions, positions, self._counts),
            boxes_of_labels(axes, self._labelled, classes, rows.astype(np.int64)),
        )
        every, broad = answers.error(), answers.error(least=_BROAD * self._problem.rows)
        return Queries(
            asked=every.queries, zero=every.zero, median=every.median, broad=broad.queries, broad_median=broad.median
        )

    def left_out(self) -> Iterator[LeftOut]:
        """Whom it hits among the quasi-identifiers, each at its finest level that has few values."""
        if not self._gone.any():
            return
        for j, hierarchy in enumerate(self._problem.hierarchies):
            level = self._level(j, hierarchy)
            if level is not None:
                names = [_name(label) for label in hierarchy.labels[level]]
                rows, gone = self._rows(j, hierarchy, level), self._rows(j, hierarchy, level, self._gone)
                yield _groups(hierarchy.attribute, names, rows, gone, self._plan.promise.k, is_sensitive=False)

    def _level(self, j: int, hierarchy: Hierarchy) -> int | None:
        """The finest level of few values, hardly any of fewer than k rows; or else the last below the top."""
        few = [n for n, labels in enumerate(hierarchy.labels[:-1]) if len(labels) <= _GROUPS]
        for level in few:
            rows = self._rows(j, hierarchy, level)
            if rows[rows < self._plan.promise.k].sum() <= _RARE * self._plan.promise.rows:
                return level
        return few[-1] if few else None

    def _rows(self, j: int, hierarchy: Hierarchy, level: int, among: Truths | None = None) -> Ints:
        """How many rows have each value of a level."""
        codes, counts = hierarchy.codes[level][self._leaves[:, j]], self._counts
        if among is not None:
            codes, counts = codes[among], counts[among]
        return np.bincount(codes, weights=counts, minlength=len(hierarchy.labels[level])).astype(np.int64)

    def _attribute(self, j: int, recoding: AttributeRecoding) -> Published:
        kept = ~self._gone
        rows = np.bincount(self._labels[kept, j], weights=self._counts[kept], minlength=len(recoding.labels)).astype(
            np.int64
        )
        common = [int(label) for label in np.argsort(-rows, kind="stable")[:_EXAMPLES] if rows[label]]
        return Published(
            attribute=recoding.attribute,
            level=recoding.level,
            height=recoding.height,
            values_before=len(np.unique(self._leaves[:, j])),
            values_after=int(np.count_nonzero(rows)),
            is_kept=recoding.keeps_values,
            examples=tuple(_name(recoding.labels[label]) for label in sorted(common)),
            lost=self._lost(j, recoding, rows),
            weight=recoding.weight,
        )

    def _lost(self, j: int, recoding: AttributeRecoding, rows: NDArray[np.int64]) -> float:
        """The general loss of one attribute: leaves under a published value, a row left out as the top."""
        hierarchy = self._problem.hierarchies[j]
        leaves = len(hierarchy.leaves)
        if leaves == 1:
            return 0.0
        under = np.bincount(self._labelled[j], minlength=len(recoding.labels))
        told = float((rows * (under - 1)).sum()) / (leaves - 1)
        return (told + self._plan.promise.suppressed) / self._plan.promise.rows


def _hit(plan: Plan, table: Table) -> Iterator[LeftOut]:
    """Whom it hits among those with each value of a sensitive attribute, or of the label."""
    schema, label = plan.problem.schema, plan.problem.schema.label
    names = [*(each.name for each in schema.having(Role.SENSITIVE)), *([label.name] if label is not None else [])]
    if not names or not len(plan.suppressed):
        return
    rewriting = plan.rewriting(table)
    keys = [each.coding for each in rewriting.replaced]
    for column in table.profile(names).columns:
        values = OrderedValues(column)
        rows, gone = _counted(table, keys, values.coding, rewriting.packing, rewriting.suppressed)
        listed, rows, gone = _ranges(values, column, rows, gone)
        yield _groups(column.name, listed, rows, gone, plan.promise.k, is_sensitive=True)


def _counted(table: Table, keys: list[Coding], coding: Coding, packing: Packing, gone: Ints) -> tuple[Ints, Ints]:
    """How many rows have each value, and how many of these are left out."""
    rows, lost = np.zeros(coding.size, np.int64), np.zeros(coding.size, np.int64)
    for part in table.parts(keys, coding):
        histogram, start = part.histogram, next(iter(part.histogram.blocks.values())).start
        columns = histogram.columns - start
        left = _among(packing.pack(part.codes), gone)[histogram.owners]
        rows += np.bincount(columns, weights=histogram.amounts, minlength=coding.size).astype(np.int64)
        lost += np.bincount(columns[left], weights=histogram.amounts[left], minlength=coding.size).astype(np.int64)
    return rows, lost


def _ranges(values: OrderedValues, column: Column, rows: Ints, gone: Ints) -> tuple[list[str], Ints, Ints]:
    """Values by name; numbers of many sizes in a few ranges of about as many rows each."""
    known = len(column.values)
    if not values.have_order or known <= _GROUPS:
        return [_name(value) for value in values.listed], rows, gone
    begun = np.cumsum(rows[:known]) - rows[:known]
    member = np.minimum(begun * _RANGES // max(int(rows[:known].sum()), 1), _RANGES - 1)
    names = []
    for number in np.unique(member).tolist():
        first, last = np.flatnonzero(member == number)[[0, -1]].tolist()
        names.append(f"{_name(values.listed[first])} to {_name(values.listed[last])}")
    _, member = np.unique(member, return_inverse=True)
    member = np.append(member, [len(names)] * (len(rows) - known)).astype(np.int64)
    names += [_NONE] * (len(rows) - known)
    sums = [np.bincount(member, weights=each, minlength=len(names)).astype(np.int64) for each in (rows, gone)]
    return names, sums[0], sums[1]


def _groups(attribute: str, names: Sequence[str], rows: Ints, gone: Ints, k: int, *, is_sensitive: bool) -> LeftOut:
    """The groups that are hit hardest; those of fewer than k rows, and those beyond the first dozen, are together."""
    groups = [Group(*each) for each in zip(names, rows.tolist(), gone.tolist(), strict=True) if each[1]]
    large = sorted((each for each in groups if each.rows >= k), key=lambda each: (-each.share, -each.rows))
    small = [each for each in groups if each.rows < k]
    shown, others = (large, []) if len(large) <= _GROUPS else (large[: _GROUPS - 1], large[_GROUPS - 1 :])
    pooled = [_pooled(counted(len(others), "other value"), others), _pooled(counted(len(small), "rare value"), small)]
    told = (*shown, *(each for each in pooled if each.rows))
    return LeftOut(attribute=attribute, is_sensitive=is_sensitive, groups=told)


def _pooled(name: str, groups: Sequence[Group]) -> Group:
    return Group(name, sum(each.rows for each in groups), sum(each.left_out for each in groups))


def _among(words: Ints, wanted: Ints) -> Truths:
    """Which of the packed rows are among the wanted ones."""
    _, member = np.unique(np.concatenate([wanted, words]), axis=0, return_inverse=True)
    member = member.reshape(-1)
    found: Truths = np.isin(member[len(wanted) :], member[: len(wanted)])
    return found


def _name(value: object) -> str:
    return _NONE if value is None else str(value)


def _made(html: str, file: Path, folder: Path) -> Path:
    """The report, made aside."""
    page = folder / "report.html"
    page.write_text(html, encoding="utf-8")
    return print_page(page, folder / "report.pdf") if file.suffix.lower() == ".pdf" else page


__all__ = ["Reporter", "account_of", "check_report_files", "save_report", "write_report"]
