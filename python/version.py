"""The version of the package: that of the program."""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def version() -> str:
    """Return $VERSION, else what the source distribution or scripts/version.sh says."""
    said = os.environ.get("VERSION")
    if said:
        return said
    kept = HERE / "VERSION"
    if kept.exists():
        return kept.read_text(encoding="utf-8").strip()
    return subprocess.run([HERE.parent / "scripts" / "version.sh"], check=True, capture_output=True, text=True).stdout.strip()
