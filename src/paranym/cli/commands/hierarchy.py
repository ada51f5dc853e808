"""`paranym hierarchy`: build, check and show hierarchies, and how to edit them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from paranym.cli.options.shared import ReadOptions, TableArgument

if TYPE_CHECKING:
    from paranym.hierarchies.build import HierarchySpec
    from paranym.model.hierarchy import Hierarchy

app = App(
    name="hierarchy", help="Build, check and show hierarchies, and say how to edit them.", help_format="plaintext"
)

_BUILDERS = """\
  intervals = [5, 10, 20]    numbers in intervals of 5, then of 10, then of 20
  bottom = 20, top = 80      one value below 20, one from 80 on; also alone
  breaks = [18, 30, 65]      numbers cut where you say: <18, 18-29, 30-64, >=65
  quantiles = [8, 4, 2]      numbers, about equally many rows in each interval
  prefix = [3, 2]            codes: the first 3 characters, then 2
  dates = ["month", "year"]  minute hour day week month quarter year decade
  format = "%d.%m.%Y"        with dates and times that are not in ISO form
  times = [15, 60, 360]      times of day in steps of 15, 60, 360 minutes
  rare = [0.01, 0.05]        values of fewer than 1% of the rows become one
  tree = { fur = ["cat"] }   groups of values, and groups of groups
  others = "other"           with rare and tree: the group of all else
  apart = [99, "unknown"]    values that stay by themselves; not with rare, tree
  cover = [0, 120]           with numbers and dates: leaves that need not occur"""
_EDIT_HELP = f"""\
A hierarchy says what each value of a column becomes, level by level, until only
* is left. As a file it has one line per value: the value first, then what it
becomes on each level, * last; no header; in UTF-8; separated by semicolons,
commas, tabs or bars. Any editor or spreadsheet will do:

  Bachelors;higher education;*
  Masters;higher education;*
  HS-grad;school;*

- Every line has equally many fields, and the last is the same in all lines.
- What is one value on a level stays one value on all levels above.
- A line with nothing before the first separator is for missing values.
- A value of the table that no line names is a fault that names the column.

Begin with a builder and go on by hand:

  paranym hierarchy build TABLE COLUMN 'rare = [0.01]' --out column.csv
  paranym hierarchy check column.csv --table TABLE --column COLUMN

A file whose name ends in .toml holds a tree instead: the name of each group,
then its values or smaller groups:

  school = ["HS-grad", "11th"]
  [higher]
  bachelor = ["Bachelors"]
  master = ["Masters"]

In a recipe, and on the command line as above, a builder may stand for a file:

{_BUILDERS}

In a recipe they stand in braces, hierarchy = {{ intervals = [5], top = 80 }}, or
several in a list, each on top of the last one:
hierarchy = [{{ prefix = [3] }}, {{ rare = 100 }}]. Without any, a value is
published or replaced by *."""


@app.command
def build(
    table: TableArgument,
    column: str,
    builder: str = "",
    *,
    out: Path | None = None,
    json: Path | None = None,
    read: ReadOptions = ReadOptions(),
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Build the hierarchy of a column, show it, and write it as a CSV file to edit.

    Parameters
    ----------
    table
        A CSV file (plain or in gzip), a Parquet file, a DuckDB file or an Excel workbook; - for standard input.
    column
        The column.
    builder
        How, as in a recipe: 'intervals = [5, 10]', 'prefix = [3, 2]', ...; the command edit-help lists all. Nothing: a
        value is published or replaced by *.
    out
        Write the hierarchy to this file, which must not be there yet; - for standard output.
    json
        Also write the effect of each level as JSON to this file; - for standard output.
    quiet
        Do not show it.
    """
    from paranym.cli.options.files import check_new, print_text, write_new
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import note_compilation
    from paranym.cli.show.hierarchy import as_dict, show_hierarchy
    from paranym.drafting.level_effects import left_by
    from paranym.hierarchies.files import write_hierarchy

    check_new(out)
    output = Output(json=json, quiet=quiet).checked()
    spec = _builder(builder, column)
    note_compilation(quiet=quiet)
    problem = read.problem(table, {column: spec})
    [hierarchy] = problem.hierarchies
    left = left_by(problem, column)
    output.write(lambda: as_dict(hierarchy, left))
    if str(out) == "-":
        print_text(write_hierarchy(hierarchy))
    elif out is not None:
        write_new(write_hierarchy(hierarchy), out)
    if output.is_shown and str(out) != "-":
        show_hierarchy(hierarchy, left, alone=True, written=out)


@app.command
def check(
    hierarchy: Path,
    *,
    table: TableArgument | None = None,
    column: str | None = None,
    read: ReadOptions = ReadOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Check that a hierarchy file is sound, and that it has a place for every value of a column.

    Parameters
    ----------
    hierarchy
        The file: CSV, or a tree in TOML.
    table
        The table whose column it is for.
    column
        The column.
    json
        Also write the result as JSON to this file; - for standard output.
    quiet
        Say nothing if all is well.
    """
    from rich.text import Text

    from paranym.cli.options.output import Output
    from paranym.cli.show.hierarchy import remarks
    from paranym.cli.terminal import out
    from paranym.errors import BadInput
    from paranym.hierarchies.files import read_hierarchy

    if (table is None) != (column is None):
        raise BadInput("--table and --column go together: which column is the hierarchy for?")
    output = Output(json=json, quiet=quiet).checked()
    found = read_hierarchy(hierarchy, attribute=column or hierarchy.stem)
    sizes = " -> ".join(f"{len(labels):,}" for labels in found.labels)
    sentences = [f"{hierarchy.name} is sound: {found.height + 1} levels with {sizes} values.", *remarks(found)]
    if table is not None and column is not None:
        sentences.append(_coverage(found, table, column, read))
    values = [len(labels) for labels in found.labels]
    output.write(lambda: {"hierarchy": hierarchy.name, "values_per_level": values, "sentences": sentences})
    if output.is_shown:
        for sentence in sentences:
            out.print(Text(sentence))


@app.command
def show(
    source: Path,
    columns: Annotated[list[str] | None, Parameter(negative=())] = None,
    *,
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Draw the hierarchies of a recipe as trees, with the effect of each level; or the hierarchy in a file.

    Parameters
    ----------
    source
        A recipe, or a hierarchy file.
    columns
        Columns of the recipe; by default all quasi-identifiers.
    json
        Also write the effect of each level as JSON to this file; - for standard output.
    quiet
        Print no result.
    """
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import note_compilation
    from paranym.cli.show.hierarchy import as_dict, show_hierarchy

    output = Output(json=json, quiet=quiet).checked()
    if _is_recipe(source):
        from paranym.drafting.level_effects import left_by
        from paranym.problem.problem import Problem

        note_compilation(quiet=quiet)
        problem = Problem.from_recipe(source)
        names = _selected(columns or [], problem.attributes)
        pairs = [(problem.hierarchies[problem.attributes.index(name)], left_by(problem, name)) for name in names]
    else:
        from paranym.hierarchies.files import read_hierarchy

        _selected(columns or [], ())
        pairs = [(read_hierarchy(source, attribute=source.stem), ())]
    output.write(lambda: {"hierarchies": [as_dict(hierarchy, left) for hierarchy, left in pairs]})
    if output.is_shown:
        for hierarchy, left in pairs:
            show_hierarchy(hierarchy, left, alone=len(pairs) == 1 and not _is_recipe(source))


@app.command(name="edit-help")
def edit_help() -> None:
    """Explain the format of hierarchy files and of builders."""
    from paranym.cli.options.files import print_text

    print_text(_EDIT_HELP + "\n")


def _builder(written: str, column: str) -> "HierarchySpec":
    """Parse a builder in the form of a recipe."""
    from paranym.errors import BadInput
    from paranym.files.reading import parse_toml
    from paranym.recipe import Recipe

    text = written.strip()
    if not text:
        return None
    try:
        inline = text if text[0] in "{[\"'" else "{ " + text + " }"
        spec = parse_toml(f"hierarchy = {inline}")["hierarchy"]
    except ValueError as error:
        raise BadInput(
            f"The builder is not valid TOML ({error}); write it like 'intervals = [5, 10]'. "
            "'paranym hierarchy edit-help' lists all."
        ) from error
    section = {"role": "quasi-identifier", "hierarchy": spec}
    return Recipe.parse({"data": {"source": "-"}, "attributes": {column: section}}, name="builder").hierarchy(column)


def _coverage(hierarchy: "Hierarchy", table: Path | str, column: str, read: ReadOptions) -> str:
    problem = read.problem(table, {column: hierarchy})
    occurring = int((problem.frequency.marginal(0, len(problem.hierarchies[0].leaves)) > 0).sum())
    idle = len(problem.hierarchies[0].leaves) - occurring
    rest = f"; {idle:,} of its leaves do not occur there" if idle else ""
    return f"It has a place for all {occurring:,} values of {column} in {problem.rows:,} rows{rest}."


def _is_recipe(path: Path) -> bool:
    """Return whether a TOML file is a recipe rather than a tree."""
    from paranym.errors import UnreadableDocument
    from paranym.files.reading import read_toml

    if path.suffix.casefold() != ".toml":
        return False
    try:
        return isinstance(read_toml(path).get("attributes"), dict)
    except UnreadableDocument:
        return True  # and let reading it say what is wrong


def _selected(columns: list[str], known: tuple[str, ...]) -> list[str]:
    from paranym.errors import BadInput, UnknownAttribute, raise_all

    if columns and not known:
        raise BadInput("A hierarchy file has no columns to choose from; give a recipe, or the file alone.")
    raise_all([UnknownAttribute(name, known) for name in columns if name not in known])
    return columns or list(known)
