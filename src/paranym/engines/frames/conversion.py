"""Conversion between data frames of other libraries and Arrow tables, without importing those libraries."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paranym.engines.frames.compaction import blank_pandas, compact_pandas, select_arrow, select_polars
from paranym.errors import BadInput, UnreadableSource, shorten
from paranym.model.values import to_text

IndexRole = Literal["keep", "drop"]
"""The decision whether to publish a pandas index other than row numbers."""


def to_arrow(data: object) -> pa.Table:
    """Convert a pandas, polars or pyarrow table to an Arrow table. The caller's data are not changed.

    A pandas index is not a column. Names other than text become text; columns of mixed types become text.
    """
    frame: Any = data
    kinds = _kinds(data)
    if "pandas.DataFrame" in kinds:
        names = [str(name) for name in frame.columns]
        columns = [_from_pandas(frame.iloc[:, position]) for position in range(len(names))]
    elif kinds & {"polars.DataFrame", "polars.LazyFrame"}:
        frame = frame.collect() if "polars.LazyFrame" in kinds else frame
        names = frame.columns
        columns = [_from_polars(series) for series in frame.get_columns()]
    elif isinstance(data, pa.Table | pa.RecordBatch):
        names, columns = frame.schema.names, frame.columns
    else:
        kind = f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")
        raise UnreadableSource(
            "the table", f"a {kind} is not a table. Pass a path, or a pandas, polars or pyarrow table."
        )
    if not names:
        raise UnreadableSource("the table", "it has no columns.")
    return pa.Table.from_arrays([_plain(column) for column in columns], names=names)


def _from_pandas(series: Any) -> pa.Array:
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, OverflowError, UnicodeError):
        return _as_text(series.name, series.array)
    # intervals and periods would come as the numbers that pandas stores
    stored = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    return _as_text(series.name, series.array) if isinstance(stored, pa.BaseExtensionType) else array


def _from_polars(series: Any) -> pa.Array:
    try:
        return series.to_arrow()
    except pa.ArrowException:  # 128-bit integers, which Arrow does not have
        return _as_text(series.name, series.to_list())


def _as_text(name: object, values: Iterable[object]) -> pa.Array:
    try:
        return pa.array([to_text(value) for value in values], pa.string())
    except UnicodeError as error:
        raise UnreadableSource("the table", f"column {str(name)!r} has text that is not valid Unicode.") from error


def _in_written_digits(halves: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Convert half floats to doubles, in the digits of half precision: 0.1, not 0.0999755859375."""
    return pa.array(halves.to_numpy(zero_copy_only=False).astype(str).astype(np.float64), from_pandas=True)


def _plain(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the column in a type that engines support: no dictionary, no half floats, at most 38 decimal digits."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_float16(column.type):
        return _in_written_digits(column)
    if pa.types.is_decimal256(column.type):
        return _as_text("", column.to_pylist())
    return column


def frame_digest(data: object) -> bytes:
    """Return a hash of the names, types and cells of a table, in their order."""
    frame = to_arrow(data).combine_chunks()
    found = hashlib.sha256(repr(frame.schema.names).encode())
    for batch in frame.to_batches():
        found.update(batch.serialize())
    return found.digest()


def republish(
    data: object,
    columns: Mapping[int, pa.ChunkedArray],
    kept: NDArray[np.bool_],
    *,
    dropped: Sequence[int],
    blank: bool,
    index: IndexRole | None = None,
) -> object:
    """Return a table of the same kind with some columns replaced and others dropped; order and index are kept.

    Rows that are not `kept` are removed, or, if `blank`, stay with empty cells in the columns that are not replaced.
    Nothing else of them remains: no unused categories, no shared memory, no metadata. `index` may drop the index.
    """
    frame: Any = data
    kinds = _kinds(data)
    if blank and index == "keep" and index_of(data) and not kept.all():
        raise BadInput(
            "Suppressed rows cannot be kept together with the index, which would still identify them. Remove the "
            "suppressed rows, or drop the index (index='drop')."
        )
    if "pandas.DataFrame" in kinds:
        made = _pandas_like(frame, columns, kept, dropped, blank=blank)
        return made.reset_index(drop=True) if index == "drop" else made
    if kinds & {"polars.DataFrame", "polars.LazyFrame"}:
        lazy = "polars.LazyFrame" in kinds
        made = _polars_like(frame.collect() if lazy else frame, columns, kept, dropped, blank=blank)
        return made.lazy() if lazy else made
    table = pa.Table.from_batches([frame]) if isinstance(data, pa.RecordBatch) else frame
    return _arrow_like(table, columns, kept, dropped, blank=blank)


def index_of(data: object) -> tuple[str, ...]:
    """Return the names of a pandas index other than row numbers; one without a name is called `index`.

    >>> import pandas as pd
    >>> index_of(pd.DataFrame({"age": [31]})), index_of(pd.DataFrame({"age": [31]}, index=["Ann"]))
    ((), ('index',))
    """
    frame: Any = data
    if "pandas.DataFrame" not in _kinds(data):
        return ()
    index = frame.index
    if type(index).__name__ == "RangeIndex" and index.name is None:
        return ()
    several = index.nlevels > 1
    return tuple(
        str(name) if name is not None else f"level_{n}" if several else "index" for n, name in enumerate(index.names)
    )


def check_index(data: object, decided: IndexRole | None) -> None:
    """Raise if a frame has an index without a decision about it: it would be published like a column.

    >>> import pandas as pd
    >>> check_index(pd.DataFrame({"age": [31]}, index=["Ann"]), "drop")
    """
    if decided not in (None, "keep", "drop"):
        raise BadInput(f"index is 'keep' or 'drop'; got {decided!r}.")
    names = index_of(data)
    if names and decided is None:
        raise BadInput(
            f"The table has an index ({shorten(names)}) that is more than the numbers of its rows. It is published "
            "like a column, so it needs a role: make it a column and give that one (df.reset_index()), or decide here: "
            "index='drop' numbers the rows instead, index='keep' publishes it as it is."
        )


def with_index(data: object, decided: IndexRole | None) -> object:
    """Return the table with its index as further columns, if it is published; otherwise the table itself.

    >>> import pandas as pd
    >>> with_index(pd.DataFrame({"age": [31]}, index=["Ann"]), "keep").columns.tolist()
    ['age', 'index']
    """
    names = published_index(data, decided)
    if not names:
        return data
    frame: Any = data
    made = frame.reset_index(drop=True)
    for level, name in enumerate(names):
        made.insert(made.shape[1], name, frame.index.get_level_values(level).to_numpy())
    return made


def published_index(data: object, decided: IndexRole | None) -> tuple[str, ...]:
    """Return the names of a published index for the gate, such that no column has the same name.

    >>> import pandas as pd
    >>> published_index(pd.DataFrame({"age": [31], "index": [1]}, index=["Ann"]), "keep")
    ('index (index)',)
    """
    frame: Any = data
    names = index_of(data) if decided == "keep" else ()
    taken = {str(column) for column in frame.columns} if names else set()
    return tuple(f"{name} (index)" if name in taken else name for name in names)


def _pandas_like(
    frame: Any, columns: Mapping[int, pa.ChunkedArray], kept: NDArray[np.bool_], dropped: Sequence[int], *, blank: bool
) -> Any:
    positions = [position for position in range(frame.shape[1]) if position not in dropped]
    rows = np.ones_like(kept) if blank else kept
    made = frame.iloc[rows, positions].copy()
    for place, position in enumerate(positions):
        if position in columns:
            values = columns[position].filter(pa.array(rows)).to_pandas()
            values.index = made.index
            made.isetitem(place, values)
        elif blank and not kept.all():
            made.isetitem(place, blank_pandas(made.iloc[:, place], kept))
    return compact_pandas(made)


def _polars_like(
    frame: Any, columns: Mapping[int, pa.ChunkedArray], kept: NDArray[np.bool_], dropped: Sequence[int], *, blank: bool
) -> Any:
    made = []
    for position, name in enumerate(frame.columns):
        if position in dropped:
            continue
        if position in columns:
            # selected by Arrow: with polars, the result would share memory with the suppressed rows
            cells = columns[position] if blank else columns[position].filter(pa.array(kept))
            made.append(type(frame)(pa.table({name: cells})).to_series())
        else:
            made.append(select_polars(frame[name], kept, blank=blank))
    return type(frame)(made)


def _arrow_like(
    table: pa.Table,
    columns: Mapping[int, pa.ChunkedArray],
    kept: NDArray[np.bool_],
    dropped: Sequence[int],
    *,
    blank: bool,
) -> pa.Table:
    rows = pa.array(np.ones_like(kept) if blank else kept)
    return pa.table({
        name: columns[position].filter(rows)
        if position in columns
        else select_arrow(table.column(position), kept, blank=blank)
        for position, name in enumerate(table.column_names)
        if position not in dropped
    })  # fmt: skip


def _kinds(data: object) -> set[str]:
    """Return the libraries and names of the classes of an object."""
    return {f"{kind.__module__.split('.')[0]}.{kind.__name__}" for kind in type(data).__mro__}
