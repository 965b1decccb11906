"""The captures that come with the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

SESSIONS = Path(__file__).parents[2] / "testdata" / "sessions"


@pytest.fixture(scope="session")
def sessions() -> Path:
    if not SESSIONS.exists():
        pytest.skip("no testdata/sessions: this is no clone of the repository")
    return SESSIONS


@pytest.fixture(scope="session")
def capture(sessions: Path) -> Path:
    """1.5 MB over two paths, captured at the client."""
    return sessions / "v1" / "l-single-loss" / "client.pcap.zst"


@pytest.fixture(scope="session")
def campaign(sessions: Path) -> dict[str, list[Path]]:
    """Two scenarios of two runs."""
    return {name: sorted((sessions / "campaign" / name.lower()).glob("run*/client.pcap.zst")) for name in ("LIA", "OLIA")}
