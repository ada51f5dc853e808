"""Data frames of other libraries as Arrow tables, without importing those libraries."""

from typing import Any

import pyarrow as pa

from paranym.errors import UnreadableSource
from paranym.model.values import to_text


def to_arrow(data: object) -> pa.Table:
    """A pandas, polars or pyarrow table as an Arrow table. The caller's data are not changed.

    A pandas index is no column. Names that are no text become text; columns of mixed types become text.
    """
    frame: Any = data
    match type(data).__module__.split(".")[0]:
        case "pandas":
            names = [str(name) for name in frame.columns]
            columns = [_from_series(frame.iloc[:, position]) for position in range(len(names))]
        case "polars":
            frame = frame.collect() if hasattr(frame, "collect") else frame
            table = frame.to_arrow()
            names, columns = table.column_names, table.columns
        case "pyarrow" if isinstance(data, pa.Table | pa.RecordBatch):
            names, columns = frame.schema.names, frame.columns
        case _:
            kind = f"{type(data).__module__}.{type(data).__qualname__}"
            raise UnreadableSource(
                "the table", f"a {kind} is no table. Pass a path, or a pandas, polars or pyarrow table."
            )
    return pa.Table.from_arrays([_plain(column) for column in columns], names=names)


def _from_series(series: Any) -> pa.Array:
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array([to_text(value) for value in series.array], pa.string())


def _plain(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The column without dictionary encoding."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
