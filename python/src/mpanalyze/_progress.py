"""How far the program is, shown in notebooks and on terminals."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, Union

Progress = Union[None, bool, Callable[[str], object]]
"""None: in notebooks and on terminals; True or False; or a function that gets each line,
and "" at the end."""

# The program writes each line of progress over the one before.
_OVER = re.compile(r"\r\x1b\[K")
_BEGUN = re.compile(r"(\r(\x1b(\[)?)?)?\Z")


class Split:
    """Tells lines of progress in what the program writes from what it says.

    Attributes:
        said: all that is no progress.
        failed: what showing raised first; after it nothing is shown.
    """

    def __init__(self, show: Callable[[str], object]) -> None:
        self.said = ""
        self.failed: Exception | None = None
        self._show = show
        self._shown = ""
        self._line = ""  # since the latest end of a line
        self._over = False  # whether it stands where progress does
        self._held = ""  # what may be the beginning of _OVER

    def write(self, text: str) -> None:
        """Take what came, and show the latest line of progress in it."""
        text = self._held + text
        self._held = _BEGUN.search(text).group()  # type: ignore[union-attr] # it matches nothing, too
        parts = _OVER.split(text.removesuffix(self._held))
        for i, part in enumerate(parts):
            if i > 0:
                self._over, self._line = True, ""
            whole, newline, rest = part.rpartition("\n")
            if newline:
                self.said += self._line + whole + newline
                self._over, self._line = False, ""
            self._line += rest
        now = self._line if self._over else ""
        if now != self._shown:
            self._shown = now
            try:
                if self.failed is None:
                    self._show(now)
            except Exception as e:
                self.failed = e

    def close(self) -> None:
        """Take the end; the last line may lack its end."""
        if not self._over:
            self.said += self._line
        self._line, self._over = "", False


def shower(progress: Progress) -> Callable[[str], object] | None:
    """Return what shows a line of progress, None where nobody looks."""
    if callable(progress):
        return progress
    if progress is False:
        return None
    in_notebook = _notebook()
    if in_notebook is not None:
        return in_notebook
    if progress or sys.stderr.isatty():
        return _terminal
    return None


def _terminal(line: str) -> None:
    sys.stderr.write("\r\x1b[K" + line)
    sys.stderr.flush()


def _notebook() -> Callable[[str], object] | None:
    """Return a display that changes in place, where a notebook runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

    handle: list[Any] = []

    def show(line: str) -> None:
        data = {"text/plain": line}
        if handle:
            handle[0].update(data, raw=True)
        elif line:
            handle.append(display(data, raw=True, display_id=True))

    return show
