"""Options by Python's names as flags of the program."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Union

Path = Union[str, "os.PathLike[str]"]
"""Name of a file."""

Scalar = Union[str, int, float, "os.PathLike[str]", timedelta]
Option = Union[None, bool, Scalar, Iterable[Scalar], Mapping[str, Union[Scalar, Iterable[Scalar]]]]
"""Value of an option: see :func:`flags`."""


def _text(value: Scalar) -> str:
    if isinstance(value, timedelta):
        return f"{value / timedelta(microseconds=1):.0f}us"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


def _texts(value: Scalar | Iterable[Scalar]) -> list[str]:
    if isinstance(value, (str, int, float, timedelta, os.PathLike)):
        return [_text(value)]
    return [_text(v) for v in value]


def flags(options: Mapping[str, Option]) -> Iterator[str]:
    """Yield the flags for options; the program judges names and values.

    ``_`` becomes ``-``, and a ``_`` at the end, as in ``from_``, is left out. True and
    False are ``--name`` and ``--name=false``; None is no flag; a list is a flag for each
    value; a mapping is a flag ``--name=KEY=VALUE`` for each key, the values of a list
    separated by commas, in quotation marks where one has a comma; a timedelta is a time with its unit.
    """
    for name, value in options.items():
        flag = "--" + name.removesuffix("_").replace("_", "-")
        if value is None:
            continue
        if isinstance(value, bool):
            yield flag if value else flag + "=false"
        elif isinstance(value, Mapping):
            for key, of in value.items():
                yield f"{flag}={key}={of}" if isinstance(of, str) else f"{flag}={_named(key, _texts(of))}"
        else:
            for text in _texts(value):
                yield f"{flag}={text}"


def _quoted(text: str, separator: str) -> str:
    """Return a text as the program takes it where a separator follows."""
    return '"' + text.replace('"', '""') + '"' if separator in text or text.startswith('"') else text


def _named(name: str, values: Iterable[str]) -> str:
    return _quoted(name, "=") + "=" + ",".join(_quoted(v, ",") for v in values)


def runs(scenario: str, captures: Iterable[Path]) -> str:
    """Return a scenario and its runs as an argument of "compare"."""
    if isinstance(captures, (str, os.PathLike)):
        raise TypeError(f"scenario {scenario!r}: want a list of runs, as [{os.fspath(captures)!r}]; one file is a list, too")
    return _named(scenario, files(captures))


def files(captures: Iterable[Path]) -> list[str]:
    """Return file names as arguments that are no flags, whatever they begin with."""
    names = [os.fspath(c) for c in captures]
    return ["./" + n if n.startswith("-") and n != "-" else n for n in names]
