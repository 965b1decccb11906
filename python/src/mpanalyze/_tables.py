"""Tables that the program wrote into a directory."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path as FilePath
from typing import Any, TypeVar

from . import _frames
from ._node import unknown
from ._options import Path

Self = TypeVar("Self", bound="Tables")


class Folder:
    """A directory for what the program writes: one that is kept, or a temporary one.

    A temporary one is removed by close, with the Folder, or with the process.
    """

    def __init__(self, keep: Path | None) -> None:
        self.path = FilePath(tempfile.mkdtemp(prefix="mpanalyze-") if keep is None else keep)
        self.path.mkdir(parents=True, exist_ok=True)
        self.closed = False
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, True) if keep is None else None

    def close(self) -> None:
        """Remove the directory if it is temporary."""
        self.closed = True
        if self._remove is not None:
            self._remove()


class Tables:
    """What has tables, each read when first asked for; ``with`` closes it at the end.

    Attributes:
        tables: names of the tables.
    """

    def __init__(self, folder: Folder, library: str, **first: str) -> None:
        self._folder = folder
        self._files = {f.stem: f for f in sorted((folder.path / "tables").glob("*.parquet"))}
        self.tables = tuple(self._files)
        self._library = library
        self._first = first
        self._frames: dict[tuple[str, str], Any] = {}

    def frame(self, table: str, frames: str | None = None) -> Any:
        """Return a table as a data frame of pandas or polars, read when first asked for."""
        library = frames or self._library
        if table not in self._files:
            raise AttributeError("tables: " + unknown(table, self._files))
        if (table, library) not in self._frames:
            if self._folder.closed:
                raise ValueError(f"the table {table!r} was not read before close(): read it before, or inside of 'with'")
            self._frames[table, library] = _frames.read(self._files[table], library, **self._first)
        return self._frames[table, library]

    def close(self) -> None:
        """Remove the temporary tables; those that were read, and all else, stay in memory."""
        self._folder.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
