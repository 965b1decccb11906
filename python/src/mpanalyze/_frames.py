"""Tables of the program, which are Parquet, as data frames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas
    import polars

Library = Literal["pandas", "polars"]
"""Whose data frames the tables become."""


def check(library: str) -> None:
    """Refuse another library."""
    if library not in ("pandas", "polars"):
        raise ValueError(f"frames={library!r}: want 'pandas' or 'polars'")


def read(file: Path, library: str, **first: str) -> Any:
    """Return a table, with columns before its own that have the same text in each row.

    The types of the columns are those of the file, whatever values are in it.
    """
    check(library)
    return _polars(file, first) if library == "polars" else _pandas(file, first)


def _polars(file: Path, first: dict[str, str]) -> polars.DataFrame:
    try:
        import polars
    except ImportError:
        raise ImportError("frames='polars' takes polars: pip install 'mpanalyze[polars]'") from None
    return polars.read_parquet(file).select(*(polars.lit(text).alias(name) for name, text in first.items()), polars.all())


def _pandas(file: Path, first: dict[str, str]) -> pandas.DataFrame:
    try:
        import pandas
        import pyarrow
        import pyarrow.parquet
    except ImportError as e:
        raise ImportError(f"frames='pandas' takes pandas and pyarrow: pip install {e.name}") from None
    table = pyarrow.parquet.read_table(file)
    for i, (name, text) in enumerate(first.items()):
        table = table.add_column(i, name, pyarrow.array([text] * len(table), pyarrow.string()))
    # Whole numbers beside missing values would become floats, which have 53 bits.
    types = {
        pyarrow.int64(): pandas.Int64Dtype(),
        pyarrow.uint64(): pandas.UInt64Dtype(),
        pyarrow.bool_(): pandas.BooleanDtype(),
        pyarrow.string(): pandas.StringDtype(),
    }
    frame: pandas.DataFrame = table.to_pandas(types_mapper=types.get)
    return frame
