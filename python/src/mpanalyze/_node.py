"""JSON of the program with attributes."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any


class Node(Mapping[str, Any]):
    """An object of the JSON report: ``node.bytes`` is ``node["bytes"]``.

    Objects in it are Nodes, lists are lists of Nodes or values, and what the capture
    could not show is None; ``unavailable`` beside it then has the reason.
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_fields", fields)

    def __getitem__(self, name: str) -> Any:
        return _wrap(self._fields[name])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(unknown(name, self._fields)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        text = json.dumps(self._fields, indent=1, ensure_ascii=False)
        return text if len(text) < 2000 else text[:2000] + " …"

    def to_dict(self) -> dict[str, Any]:
        """Return the object as the json module reads it."""
        return dict(self._fields)


def _wrap(value: Any) -> Any:
    if isinstance(value, dict):
        return Node(value)
    if isinstance(value, list):
        return [_wrap(v) for v in value]
    return value


def unknown(name: str, names: Mapping[str, Any]) -> str:
    """Say that there is no such name, and which there are."""
    close = difflib.get_close_matches(name, names)
    return f"no {name!r}; " + (f"did you mean {' or '.join(map(repr, close))}?" if close else "there are " + ", ".join(names))
