"""Data frames that hold no more than their cells show.

A frame from which rows were removed still carries their data: categories that no cell uses any more, long text in
buffers that polars and Arrow share with the original, cells below a mask, and attached metadata. All of it would be
pickled, written and sent along with a release.
"""

import sys
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Column: TypeAlias = "pa.Array | pa.ChunkedArray"


def select_arrow(column: Column, kept: NDArray[np.bool_], *, blank: bool = False) -> Column:
    """Return the cells of the kept rows, in separate memory; with `blank`, the other rows stay as empty cells.

    Unused entries of dictionaries and metadata on parts of the type are removed.

    >>> pets = pa.array(["cat", "owl", "cat"]).dictionary_encode()
    >>> select_arrow(pets, np.array([True, False, True])).dictionary.to_pylist()
    ['cat']
    """
    if pa.types.is_run_end_encoded(column.type):  # Arrow cannot select from runs
        column = pc.run_end_decode(column)
    kind = column.type
    plain = kind if pa.types.is_dictionary(kind) else _rebuilt(kind, views=False)
    cells = column if plain.equals(kind, check_metadata=True) else _cast(column, plain)  # views cannot be selected
    cells = cells.take(pa.array(np.arange(len(kept)), mask=~kept)) if blank else cells.filter(pa.array(kept))
    if pa.types.is_dictionary(kind):
        return _with_used_entries(cells)
    final = _rebuilt(kind, views=True)
    return cells if final.equals(cells.type) else _cast(cells, final)


def select_polars(series: Any, kept: NDArray[np.bool_], *, blank: bool = False) -> Any:
    """Return the cells of the kept rows, in separate memory and without unused categories."""
    polars = sys.modules["polars"]
    places = polars.Series(np.arange(len(kept))).set(polars.Series(~kept), None)
    cells = series.gather(places) if blank else series.filter(polars.Series(kept))
    kind = series.dtype
    if not _holds_text(kind, polars):
        return cells
    if isinstance(kind, polars.Enum):
        used = set(cells.unique().to_list())
        final = polars.Enum([each for each in kind.categories.to_list() if each in used])
    else:
        final = _with_text(kind, polars, polars.Enum)
    texts = cells.cast(_with_text(kind, polars, polars.Categorical | polars.Enum)).to_arrow()
    return polars.DataFrame(pa.table({"cells": texts})).to_series().rename(series.name).cast(final)


def compact_pandas(frame: Any) -> Any:
    """Return the frame without unused categories, levels and entries, and without attached metadata."""
    made = frame.copy()
    made.attrs = {}
    for place in range(made.shape[1]):
        series = made.iloc[:, place]
        made.isetitem(place, _compact_series(series))
    made.columns = _compact_index(made.columns).set_names([None] * made.columns.nlevels)
    made.index = _compact_index(made.index)
    return made


def blank_pandas(series: Any, kept: NDArray[np.bool_]) -> Any:
    """Return the series with empty cells in the rows that are not kept, also below its mask."""
    places = np.where(kept, np.arange(len(kept)), -1)
    blanked = series.reset_index(drop=True).reindex(places)
    blanked.index = series.index
    return blanked


def _compact_series(series: Any) -> Any:
    if hasattr(series, "cat"):
        return series.cat.remove_unused_categories()
    if hasattr(series.dtype, "pyarrow_dtype"):
        cells = _chunked(select_arrow(pa.array(series.array), np.ones(len(series), np.bool_)))
        return type(series)(type(series.array)(cells), index=series.index, name=series.name)
    return series


def _compact_index(index: Any) -> Any:
    if hasattr(index, "remove_unused_levels"):
        levels = [_compact_index(level) for level in index.remove_unused_levels().levels]
        return index.remove_unused_levels().set_levels(levels)
    return index.remove_unused_categories() if hasattr(index, "remove_unused_categories") else index


def _with_used_entries(column: Column) -> pa.DictionaryArray:
    """Return the same cells with a dictionary of only the values in use, in the original order."""
    whole = _chunked(column).unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], column.type)
    used = np.unique(whole.indices.drop_null().to_numpy(zero_copy_only=False)).astype(np.int64)
    numbers = np.zeros(len(whole.dictionary) + 1, np.int64)
    numbers[used] = np.arange(len(used))
    places = pc.fill_null(whole.indices.cast(pa.int64()), len(whole.dictionary)).to_numpy(zero_copy_only=False)
    indices = pa.array(numbers[places], column.type.index_type, mask=whole.indices.is_null().to_numpy(False))
    is_used = np.isin(np.arange(len(whole.dictionary)), used)
    entries = select_arrow(whole.dictionary, is_used)
    return pa.DictionaryArray.from_arrays(indices, entries, ordered=column.type.ordered)


def _rebuilt(kind: pa.DataType, *, views: bool) -> pa.DataType:
    """Return the type without metadata on its parts and without dictionaries; without views if not `views`."""
    if pa.types.is_dictionary(kind):
        return _rebuilt(kind.value_type, views=views)
    if pa.types.is_struct(kind):
        return pa.struct([_part(kind.field(n), views=views) for n in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(_part(kind.key_field, views=views), _part(kind.item_field, views=views), kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_part(kind.value_field, views=views), kind.list_size)
    for is_kind, make, plain in _LISTS:
        if is_kind(kind):
            return (make if views else plain)(_part(kind.value_field, views=views))
    return kind if views else _PLAIN.get(kind, kind)


def _part(field: pa.Field, *, views: bool) -> pa.Field:
    return pa.field(field.name, _rebuilt(field.type, views=views), field.nullable)


_PLAIN = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
_LISTS = (
    (pa.types.is_list, pa.list_, pa.list_),
    (pa.types.is_large_list, pa.large_list, pa.large_list),
    (pa.types.is_list_view, pa.list_view, pa.list_),
    (pa.types.is_large_list_view, pa.large_list_view, pa.large_list),
)


def _cast(column: Column, kind: pa.DataType) -> Column:
    # pyarrow casts list views wrongly: cells are lost where the lists are not contiguous
    if "list_view" not in f"{column.type} {kind}":
        try:
            return column.cast(kind)
        except pa.ArrowNotImplementedError:  # some casts of nested columns
            pass
    return pa.array(column.to_pylist(), kind)


def _chunked(column: Column) -> pa.ChunkedArray:
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _holds_text(kind: Any, polars: Any) -> bool:
    """True if cells of a type may share buffers or categories with others."""
    if isinstance(kind, polars.String | polars.Binary | polars.Categorical | polars.Enum):
        return True
    return any(_holds_text(part, polars) for part in _parts(kind, polars))


def _parts(kind: Any, polars: Any) -> list[Any]:
    if isinstance(kind, polars.List | polars.Array):
        return [kind.inner]
    return [field.dtype for field in kind.fields] if isinstance(kind, polars.Struct) else []


def _with_text(kind: Any, polars: Any, categories: Any) -> Any:
    """Return the type with text in place of such categories."""
    if isinstance(kind, categories):
        return polars.String()
    if isinstance(kind, polars.List):
        return polars.List(_with_text(kind.inner, polars, categories))
    if isinstance(kind, polars.Array):
        return polars.Array(_with_text(kind.inner, polars, categories), kind.size)
    if isinstance(kind, polars.Struct):
        return polars.Struct({field.name: _with_text(field.dtype, polars, categories) for field in kind.fields})
    return kind
