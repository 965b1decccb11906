"""Reports on captures."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Any

from . import _frames
from ._errors import MpanalyzeError
from ._figure import Figure, Page, plot
from ._node import Node, unknown
from ._options import Option, Path
from ._program import Completed, run
from ._progress import Progress
from ._tables import Folder, Tables

# Flags that say what is read; "report", "plot" and "why" take them, too.
_READING = ("label", "filter", "decap", "vantage", "connection", "max_memory")


class Report(Tables):
    """What the program found in captures.

    Tables of the program are attributes, as data frames: ``connections``, ``subflows``,
    ``tcp``, ``series``, ``events``, ``chunks``, ``mappings``. Their first column,
    ``capture``, names the files, so that tables of several reports can be put together.
    Everything else in the JSON report is an attribute, too, by its name there: ``report.captures[0].packets``, ``report.warnings``.
    ``report[0]`` is the connection with the id 0, ``report[0].b2a.bytes`` a figure of it,
    and ``for connection in report`` goes through all.

    Attributes:
        document: the whole JSON report; ``mpanalyze explain --schema`` describes it.
        summary: the text that ``mpanalyze analyze`` prints.
        status: exit status of the program: 0, or 2 where a capture is cut or damaged.
        messages: what the program said on standard error.
        tables: names of the tables.
    """

    def __init__(self, done: Completed, folder: Folder, library: str, reading: Mapping[str, Option]) -> None:
        self.document = Node(json.loads((folder.path / "report.json").read_bytes()))
        super().__init__(folder, library, capture=";".join(c["file"] for c in self.document["captures"]))
        self.summary = done.text
        self.status = done.status
        self.messages = done.messages
        self._reading = dict(reading)
        self._page: Page | None = None

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
        raise KeyError(f"no connection {connection}; there are {_ids([c['id'] for c in self])}")

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


def _ids(ids: list[int]) -> str:
    """Say which ids there are: "0 to 41, 50"."""
    parts: list[list[int]] = []
    for i in sorted(ids):
        if parts and i == parts[-1][-1] + 1:
            parts[-1][1:] = [i]
        else:
            parts.append([i])
    return ", ".join(" to ".join(map(str, part)) for part in parts) or "none"


def _analysed(command: str, captures: tuple[Path, ...], frames: str, keep: Path | None, progress: Progress, options: dict[str, Any]) -> Report:
    _frames.check(frames)
    for name in ("json", "parquet"):
        if name in options:
            raise TypeError(f"{name}: the report has it already; keep=DIR keeps report.json and tables")
    folder = Folder(keep)
    done = run(command, *captures, progress=progress, json=folder.path / "report.json", parquet=folder.path / "tables", **options)
    return Report(done, folder, frames, {n: options[n] for n in _READING if n in options})


def analyze(
    *captures: Path, frames: _frames.Library = "pandas", keep: Path | None = None, progress: Progress = None, **options: Option
) -> Report:
    """Analyse captures, as ``mpanalyze analyze`` does.

    Several files are one view of one host; ``sender=FILE, receiver=FILE`` gives captures
    of both. The tables lie in a temporary directory until the report is closed, by ``with`` or
    ``close()``, or no longer in use.

    Args:
        captures: pcap or pcapng files, plain or compressed.
        frames: whose data frames tables become, ``"pandas"`` or ``"polars"``.
        keep: directory that keeps ``report.json`` and ``tables/*.parquet``.
        progress: who sees how far it is: None for notebooks and terminals, True, False,
            or a function that gets each line.
        options: flags of ``mpanalyze analyze``: ``label={"10.0.1.0/24": "wifi"}``,
            ``interval="50ms"``, ``extra="regret"``.

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
