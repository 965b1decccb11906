"""Figures and pages that the program makes."""

from __future__ import annotations

import base64
import html
from pathlib import Path as FilePath

from ._options import Option, Path
from ._program import run
from ._progress import Progress

_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


class Figure:
    """A figure; in a notebook it shows itself.

    Attributes:
        data: the file.
        format: ``svg``, ``png`` or ``pdf``.
        messages: what the program said of it.
    """

    def __init__(self, data: bytes, format: str, messages: tuple[str, ...] = ()) -> None:
        self.data = data
        self.format = format
        self.messages = messages

    def save(self, file: Path) -> None:
        """Write the figure; the end of the name must be that of its format."""
        path = FilePath(file)
        if path.suffix != "." + self.format:
            raise ValueError(f"{path}: this figure is {self.format}; plot(..., format={path.suffix[1:]!r}) makes another")
        path.write_bytes(self.data)

    def __repr__(self) -> str:
        return f"<mpanalyze figure, {self.format}, {len(self.data)} bytes>"

    def _repr_html_(self) -> str:
        source = f"data:{_TYPES[self.format]};base64,{base64.b64encode(self.data).decode('ascii')}"
        if self.format == "pdf":
            return f'<embed type="application/pdf" src="{source}" style="width:100%;height:600px">'
        return f'<img alt="figure of mpanalyze" style="max-width:100%" src="{source}">'


class Page:
    """An HTML page; in a notebook it shows itself in a frame.

    Attributes:
        html: the page, which needs no other file and no network.
    """

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, file: Path) -> None:
        """Write the page."""
        FilePath(file).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<mpanalyze page, {len(self.html)} characters>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" title="report of mpanalyze" '
            'style="width:100%;height:640px;border:1px solid #8888"></iframe>'
        )


def plot(*captures: Path, format: str = "svg", progress: Progress = None, **options: Option) -> Figure:
    """Make a figure, as ``mpanalyze plot`` does.

    Args:
        captures: captures, or ``scenario=capture`` for several runs.
        format: ``svg``, ``png`` or ``pdf``.
        progress: who sees how far it is.
        options: flags of ``mpanalyze plot``, as ``kind="series", metric="srtt,path_delay"``,
            and ``from_`` for ``--from``.

    Raises:
        MpanalyzeError: with the program's own sentence.
    """
    done = run("plot", *captures, progress=progress, accept=(), format=format, output="-", **options)
    return Figure(done.output, format, done.messages)
