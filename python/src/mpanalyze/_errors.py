"""What the program said when it could not do what was asked, or not all of it."""

from __future__ import annotations

from collections.abc import Sequence

_PREFIX = "mpanalyze: "


def _sentences(stderr: str) -> tuple[str, ...]:
    return tuple(line.removeprefix(_PREFIX) for line in stderr.splitlines() if line.strip())


class MpanalyzeError(Exception):
    """The program did not do what was asked.

    Attributes:
        status: its exit status: 1 where nothing could be analysed, 4 where the program
            itself failed, negative where the signal of that number ended it.
        messages: the lines that it wrote on standard error, without its name.
        command: the command line.
    """

    def __init__(self, status: int, stderr: str, command: Sequence[str]) -> None:
        self.status = status
        self.messages = _sentences(stderr)
        self.command = tuple(command)
        if self.messages:
            super().__init__("\n".join(self.messages))
        elif status < 0:
            super().__init__(f"signal {-status} ended the program")
        else:
            super().__init__(f"the program ended with status {status} and said nothing")

    def __reduce__(self) -> tuple[type[MpanalyzeError], tuple[int, str, tuple[str, ...]]]:
        return type(self), (self.status, "\n".join(self.messages), self.command)


class DamagedWarning(UserWarning):
    """A capture was cut or damaged, or a run was skipped; the rest was analysed."""
