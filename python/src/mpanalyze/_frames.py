"""Tables of the program, which are CSV, as data frames."""

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


def read(file: Path, library: str) -> Any:
    """Return a table; an empty field is a missing value, and no number loses a digit."""
    check(library)
    return _polars(file) if library == "polars" else _pandas(file)


def _polars(file: Path) -> polars.DataFrame:
    try:
        import polars
    except ImportError:
        raise ImportError("frames='polars' takes polars: pip install 'mpanalyze[polars]'") from None
    # Types come from all rows, for the first may have no values.
    return polars.read_csv(file, infer_schema_length=None)


def _pandas(file: Path) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError:
        raise ImportError("frames='pandas' takes pandas: pip install pandas") from None
    # Whole numbers beside missing values would become floats, which have 53 bits. With
    # this backend they stay whole. Texts such as "NA" are texts.
    frame = pandas.read_csv(file, dtype_backend="numpy_nullable", keep_default_na=False, na_values=[""], low_memory=False)
    plain = {}
    for name, column in frame.items():
        kind = str(column.dtype)
        if kind == "Float64" or (kind in ("Int64", "UInt64", "boolean") and not column.hasnans):
            plain[name] = {"boolean": "bool"}.get(kind, kind.lower())
    return frame.astype(plain)
