"""Scenarios of many runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _frames
from ._figure import Page
from ._node import Node, unknown
from ._options import Option, Path, runs
from ._program import Completed, run
from ._progress import Progress
from ._tables import Folder, Tables


class Comparison(Tables):
    """What ``mpanalyze compare`` found.

    What is in the JSON (``mpanalyze explain --schema compare`` describes it) is an attribute by its
    name there.

    Attributes:
        document: the whole JSON.
        table: the table as text.
        status: exit status: 0; 2 where runs were skipped; with ``fail_on`` 3 where it got
            worse, 5 where there are too few runs to tell.
        messages: what the program said on standard error.
    """

    def __init__(self, done: Completed, folder: Folder, library: str) -> None:
        super().__init__(folder, library)
        self.document = Node(json.loads((folder.path / "compare.json").read_bytes()))
        self.table = done.text
        self.status = done.status
        self.messages = done.messages
        self._page = Page((folder.path / "compare.html").read_text(encoding="utf-8"))

    @property
    def values(self) -> Any:
        """A row for each figure of each run: scenario, factors, run, direction, path, metric, unit, value, role."""
        return self.frame("values")

    def page(self) -> Page:
        """Return everything as one HTML page."""
        return self._page

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.document:
            return self.document[name]
        raise AttributeError(unknown(name, self.document))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.document]

    def __str__(self) -> str:
        return self.table

    def __repr__(self) -> str:
        return f"<mpanalyze comparison of {len(self.document['scenarios'])} scenarios; str() of it is the table>"

    def _repr_html_(self) -> str:
        return self._page._repr_html_()


def compare(
    scenarios: Mapping[str, Sequence[Path]] | None = None,
    *,
    frames: _frames.Library = "pandas",
    keep: Path | None = None,
    progress: Progress = None,
    **options: Option,
) -> Comparison:
    """Compare scenarios, each of several runs, as ``mpanalyze compare`` does.

    Args:
        scenarios: names with their runs, captures or reports; or None with ``pattern``
            or ``manifest``.
        frames: whose data frames tables become, ``"pandas"`` or ``"polars"``.
        keep: directory that keeps ``compare.json``, ``compare.html`` and ``tables/*.parquet``.
        progress: who sees how far it is.
        options: flags of ``mpanalyze compare``: ``pattern="{scenario}/run{run}.pcap"``,
            ``baseline={"old": ["o1.pcap", "o2.pcap"]}``, ``fail_on="protocol_delay>5%"``.

    Raises:
        MpanalyzeError: with the program's own sentence.
    """
    _frames.check(frames)
    for name in ("json", "output", "parquet"):
        if name in options:
            raise TypeError(f"{name}: the comparison has it already, as .document, .page() and .frame(); keep=DIR keeps the files")
    folder = Folder(keep)
    done = run(
        "compare",
        *(runs(name, of) for name, of in (scenarios or {}).items()),
        progress=progress,
        accept=(3, 5),
        json=folder.path / "compare.json",
        output=folder.path / "compare.html",
        parquet=folder.path / "tables",
        **options,
    )
    return Comparison(done, folder, frames)
