"""The console script ``mpanalyze``, and ``python -m mpanalyze``: the program itself."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

from ._program import program


def main() -> NoReturn:
    """Become the program, with the arguments of this process."""
    line = [program(), *sys.argv[1:]]
    try:
        if sys.platform == "win32":  # has no exec that a shell waits for
            raise SystemExit(subprocess.run(line).returncode)
        os.execv(line[0], line)
    except OSError as e:
        raise SystemExit(f"mpanalyze: the program cannot be started: {e}") from None


if __name__ == "__main__":
    main()
