"""Data frames of other libraries as Arrow tables, without importing those libraries."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from paranym.errors import UnreadableSource
from paranym.model.values import to_text


def to_arrow(data: object) -> pa.Table:
    """A pandas, polars or pyarrow table as an Arrow table. The caller's data are not changed.

    A pandas index is no column. Names that are no text become text; columns of mixed types become text.
    """
    frame: Any = data
    kinds = {f"{kind.__module__.split('.')[0]}.{kind.__name__}" for kind in type(data).__mro__}
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
        raise UnreadableSource("the table", f"a {kind} is none. Pass a path, or a pandas, polars or pyarrow table.")
    if not names:
        raise UnreadableSource("the table", "it has no columns.")
    return pa.Table.from_arrays([_plain(column) for column in columns], names=names)


def _from_pandas(series: Any) -> pa.Array:
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, OverflowError, UnicodeError):
        return _as_text(series.name, series.array)
    # intervals and periods would come as the numbers that pandas keeps them as
    stored = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    return _as_text(series.name, series.array) if isinstance(stored, pa.BaseExtensionType) else array


def _from_polars(series: Any) -> pa.Array:
    try:
        return series.to_arrow()
    except pa.ArrowException:  # 128-bit integers, which Arrow does not know
        return _as_text(series.name, series.to_list())


def _as_text(name: object, values: Iterable[object]) -> pa.Array:
    try:
        return pa.array([to_text(value) for value in values], pa.string())
    except UnicodeError as error:
        raise UnreadableSource("the table", f"column {str(name)!r} has text that is no valid Unicode.") from error


def _in_written_digits(halves: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Half floats as doubles, in the digits that half precision has: 0.1, not 0.0999755859375."""
    return pa.array(halves.to_numpy(zero_copy_only=False).astype(str).astype(np.float64), from_pandas=True)


def _plain(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The column in a type that engines know: no dictionary, no half floats, no decimals beyond 38 digits."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_float16(column.type):
        return _in_written_digits(column)
    if pa.types.is_decimal256(column.type):
        return _as_text("", column.to_pylist())
    return column
