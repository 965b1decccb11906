"""Runs the program that the package carries."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import IO

from ._errors import DamagedWarning, MpanalyzeError
from ._options import Option, Path, files, flags
from ._progress import Progress, Split, shower

# Exit statuses of the program; "mpanalyze --help" explains them.
OK, DAMAGED = 0, 2


def program() -> str:
    """Return the path of the program: $MPANALYZE, else the one in this package."""
    other = os.environ.get("MPANALYZE")
    if other:
        return other
    name = "mpanalyze.exe" if sys.platform == "win32" else "mpanalyze"
    return str(FilePath(__file__).parent / "bin" / name)


@dataclass(frozen=True)
class Completed:
    """What a command of the program wrote.

    Attributes:
        status: exit status; "mpanalyze --help" explains them.
        output: standard output, bytes.
        messages: lines of standard error, without the program's name.
        command: the command line.
    """

    status: int
    output: bytes
    messages: tuple[str, ...]
    command: tuple[str, ...]

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.output.decode("utf-8", "replace")


def run(command: str, *captures: Path, progress: Progress = None, accept: Sequence[int] = (), **options: Option) -> Completed:
    """Run a command of the program, as ``run("packets", "x.pcap", connection=0)``.

    A damaged capture (status 2) is a :class:`DamagedWarning`.

    Args:
        command: name of the command.
        captures: its arguments.
        progress: who sees how far it is: see :data:`Progress`.
        accept: further exit statuses that are no error, as 3 of ``why --fail-on``.
        options: its flags by their names, with ``_`` for ``-``.

    Raises:
        MpanalyzeError: with the program's own sentence.
    """
    return execute([command, *flags(options), "--", *files(captures)], progress, accept)


def execute(args: Sequence[str], progress: Progress = None, accept: Sequence[int] = ()) -> Completed:
    """Run the program with arguments; see :func:`run`."""
    show = shower(progress)
    line = [program(), *(["--progress=always"] if show else []), *args]
    try:
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=None if "-" in args else subprocess.DEVNULL)
    except OSError as e:
        raise MpanalyzeError(1, f"the program cannot be started: {e}", line) from e
    assert process.stdout is not None and process.stderr is not None
    split = Split(show or (lambda _: None))
    reader = threading.Thread(target=_read, args=(process.stderr, split), daemon=True)
    reader.start()
    try:
        output = process.stdout.read()
        status = process.wait()
        reader.join()
        if split.failed:
            raise split.failed
    except BaseException:  # as an interrupt of the notebook: the program ends, too
        process.kill()
        process.wait()
        raise
    finally:
        process.stdout.close()
        if not reader.is_alive():
            process.stderr.close()
    failed = MpanalyzeError(status, split.said, line)
    if status not in (OK, DAMAGED, *accept):
        raise failed
    if status == DAMAGED:
        warnings.warn(DamagedWarning(str(failed)), stacklevel=4)
    return Completed(status, output, failed.messages, tuple(line))


def _read(stream: IO[bytes], split: Split) -> None:
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    while chunk := os.read(stream.fileno(), 65536):  # to the end: the program waits where nobody reads
        split.write(decode(chunk))
    split.write(decode(b"", True))
    split.close()


def version() -> str:
    """Return what ``mpanalyze --version`` says."""
    return execute(["version"], False).text.strip()
