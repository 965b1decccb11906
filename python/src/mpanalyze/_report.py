"""Reports on captures."""

from __future__ import annotations

import html
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from . import _frames
from ._errors import MpanalyzeError
from ._figure import Figure, Page, plot
from ._node import Node, unknown
from ._options import Option, Path
from ._program import Completed, run
from ._progress import Progress

# Flags that say what is read; "report", "plot" and "why" take them, too.
_READING = ("label", "filter", "decap", "vantage", "connection", "max_memory")


class Report:
    """What the program found in captures.

    Tables of the program are attributes, as data frames: ``connections``, ``subflows``,
    ``tcp``, ``series``, ``events``, ``chunks``, ``mappings``. Everything else in the JSON
    report is, too, by its name there: ``report.captures[0].packets``, ``report.warnings``.
    ``report[0]`` is the connection with the id 0, ``report[0].b2a.bytes`` a figure of it,
    and ``for connection in report`` goes through all.

    Attributes:
        document: the whole JSON report; ``mpanalyze schema`` describes it.
        summary: the text that ``mpanalyze analyze`` prints.
        status: exit status of the program: 0, or 2 where a capture is cut or damaged.
        messages: what the program said on standard error.
        tables: names of the tables.
    """

    def __init__(self, done: Completed, directory: FilePath, library: str, reading: Mapping[str, Option], keep: Any) -> None:
        self.document = Node(json.loads((directory / "report.json").read_bytes()))
        self.summary = done.text
        self.status = done.status
        self.messages = done.messages
        self._files = {f.stem: f for f in sorted((directory / "tables").glob("*.csv"))}
        self.tables = tuple(self._files)
        self._library = library
        self._reading = dict(reading)
        self._keep = keep  # the directory is removed with the report
        self._frames: dict[tuple[str, str], Any] = {}
        self._page: Page | None = None

    def frame(self, table: str, frames: str | None = None) -> Any:
        """Return a table as a data frame of pandas or polars, read when first asked for."""
        library = frames or self._library
        if table not in self._files:
            raise AttributeError("tables: " + unknown(table, self._files))
        if (table, library) not in self._frames:
            self._frames[table, library] = _frames.read(self._files[table], library)
        return self._frames[table, library]

    @property
    def connections(self) -> Any:
        """A row for each connection of Multipath TCP."""
        return self.frame("connections")

    @property
    def subflows(self) -> Any:
        """A row for each subflow and direction."""
        return self.frame("subflows")

    @property
    def series(self) -> Any:
        """A row for each sample over time: connection, direction, subflow, path, metric, t_s, value."""
        return self.frame("series")

    @property
    def events(self) -> Any:
        """A row for each event: joins, addresses, resets, fallback, handovers."""
        return self.frame("events")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._files:
            return self.frame(name)
        if name in self.document:
            return self.document[name]
        raise AttributeError(unknown(name, {**dict.fromkeys(self._files), **self.document}))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._files, *self.document]

    def __getitem__(self, connection: int) -> Node:
        for c in self:
            if c["id"] == connection:
                return c
        raise KeyError(f"no connection {connection}; there are {', '.join(str(c['id']) for c in self) or 'none'}")

    def __iter__(self) -> Iterator[Node]:
        return iter(self.document["connections"])

    def __len__(self) -> int:
        return len(self.document["connections"])

    def __bool__(self) -> bool:
        return True

    def _source(self) -> tuple[list[str], dict[str, Option]]:
        """Return captures and options with which another command reads the same."""
        options = dict(self._reading)
        captures = self.document["captures"]
        for host in ("sender", "receiver"):
            if of := [c["file"] for c in captures if c["host"] == host]:
                options[host] = of
        return [c["file"] for c in captures if c["host"] is None], options

    def plot(self, **options: Any) -> Figure:
        """Draw the captures again, as :func:`plot` does, with the same labels and filters."""
        captures, reading = self._source()
        return plot(*captures, **{**reading, **options})

    def why(self, **options: Any) -> Node:
        """Judge the captures again, as :func:`why` does, with the same labels and filters."""
        captures, reading = self._source()
        return why(*captures, **{**reading, **options})

    def page(self, *, progress: Progress = None) -> Page:
        """Return the captures' HTML page, with charts, as ``mpanalyze report`` makes it."""
        if self._page is None:
            captures, reading = self._source()
            self._page = Page(run("report", *captures, progress=progress, accept=(), output="-", **reading).text)
        return self._page

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        files = ", ".join(c["file"] for c in self.document["captures"])
        return f"<mpanalyze report on {files}: {len(self)} connections; str() of it is the summary>"

    def _repr_html_(self) -> str:
        try:
            return self.page()._repr_html_()
        except MpanalyzeError:  # the captures are no longer there
            return f"<pre>{html.escape(self.summary)}</pre>"


def _analysed(command: str, captures: tuple[Path, ...], frames: str, keep: Path | None, progress: Progress, options: dict[str, Any]) -> Report:
    _frames.check(frames)
    for name in ("json", "csv"):
        if name in options:
            raise TypeError(f"{name}: the report has it already; keep=DIR keeps report.json and tables")
    temporary = None
    if keep is None:
        temporary = tempfile.TemporaryDirectory(prefix="mpanalyze-")
        directory = FilePath(temporary.name)
    else:
        directory = FilePath(keep)
        directory.mkdir(parents=True, exist_ok=True)
    done = run(command, *captures, progress=progress, json=directory / "report.json", csv=directory / "tables", **options)
    return Report(done, directory, frames, {n: options[n] for n in _READING if n in options}, temporary)


def analyze(
    *captures: Path, frames: _frames.Library = "pandas", keep: Path | None = None, progress: Progress = None, **options: Option
) -> Report:
    """Analyse captures, as ``mpanalyze analyze`` does.

    Several files are one view of one host; ``sender=FILE, receiver=FILE`` gives captures
    of both. The tables lie in a temporary directory as long as the report is in use.

    Args:
        captures: pcap or pcapng files, plain or compressed.
        frames: whose data frames tables become, ``"pandas"`` or ``"polars"``.
        keep: directory that keeps ``report.json`` and ``tables/``.
        progress: who sees how far it is: None for notebooks and terminals, True, False,
            or a function that gets each line.
        options: flags of ``mpanalyze analyze``: ``label={"10.0.1.0/24": "wifi"}``,
            ``interval="50ms"``, ``regret=True``.

    Raises:
        MpanalyzeError: with the program's own sentence.
    """
    return _analysed("analyze", captures, frames, keep, progress, options)


def pair(
    one: Path, other: Path, *, frames: _frames.Library = "pandas", keep: Path | None = None, progress: Progress = None, **options: Option
) -> Report:
    """Analyse the captures of both hosts, as ``mpanalyze analyze --both`` does; see :func:`analyze`."""
    return _analysed("analyze", (one, other), frames, keep, progress, {**options, "both": True})


def why(*captures: Path, progress: Progress = None, **options: Option) -> Node:
    """Say why connections do not aggregate their paths, as ``mpanalyze why --json`` does.

    Returns:
        ``connections``, each with ``verdicts``: ``code``, ``severity``, ``text``, ``evidence``.
    """
    return Node(json.loads(run("why", *captures, progress=progress, accept=(3,), json=True, **options).output))
