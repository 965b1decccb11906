"""The console script, the module, and progress."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import mpanalyze
from mpanalyze._progress import Split, shower


@pytest.mark.parametrize("how", ["script", "module"])
def test_command_line(how: str, capture: Path) -> None:
    script = shutil.which("mpanalyze", path=sysconfig.get_path("scripts"))
    assert script is not None
    line = [script] if how == "script" else [sys.executable, "-m", "mpanalyze"]
    done = subprocess.run([*line, "--version"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip() == mpanalyze.version()
    done = subprocess.run([*line, "analyze", "no such file"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.startswith("mpanalyze: no such file: ")
    with capture.open("rb") as f:
        done = subprocess.run([*line, "analyze", "-"], stdin=f, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "connection 0" in done.stdout


def test_import_is_quick() -> None:
    """Neither the import nor the console script loads what only data frames need."""
    say = "import sys, mpanalyze.__main__; print([m for m in ('pandas', 'polars', 'pyarrow', 'numpy', 'IPython') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", say], capture_output=True, text=True, timeout=60).stdout.strip() == "[]"


PROGRESS = "mpanalyze: a warning\n\r\x1b[K1 of 2 MB\r\x1b[K2 of 2 MB, 0s left\r\x1b[Kmpanalyze: cut\nmpanalyze: short"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_progress_and_messages_are_told_apart(size: int) -> None:
    lines: list[str] = []
    split = Split(lines.append)
    for i in range(0, len(PROGRESS), size):
        split.write(PROGRESS[i : i + size])
    split.close()
    assert split.said == "mpanalyze: a warning\nmpanalyze: cut\nmpanalyze: short"
    if size < 8:
        assert any(line.startswith("1 of 2") for line in lines) and any(line.startswith("2 of 2 MB, 0s") for line in lines)
        assert lines[-1] == "", "the line of progress goes"
    else:
        assert lines == [], "all was over before anybody could look"


def test_progress_of_a_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A program that takes its time, in place of a capture that does."""
    slow = tmp_path / "slow"
    slow.write_text(
        f"#!{sys.executable}\nimport sys, time\n"
        "assert sys.argv[1] == '--progress=always', sys.argv\n"
        "for text in ('\\r\\x1b[K50.0 of 100.0 MB', '\\r\\x1b[K', 'mpanalyze: said\\n'):\n"
        "    sys.stderr.write(text); sys.stderr.flush(); time.sleep(0.1)\n"
        "print('done')\n"
    )
    slow.chmod(0o755)
    monkeypatch.setenv("MPANALYZE", str(slow))
    lines: list[str] = []
    done = mpanalyze.run("analyze", "x", progress=lines.append)
    assert done.text == "done\n" and done.messages == ("said",)
    assert lines == ["50.0 of 100.0 MB", ""]
    mpanalyze.run("analyze", "x", progress=True)
    assert "\r\x1b[K50.0 of 100.0 MB\r\x1b[K" in capfd.readouterr().err


def test_progress_that_cannot_be_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program ends, also where it writes more than a pipe holds; then comes the error."""
    noisy = tmp_path / "noisy"
    noisy.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "for i in range(20000):\n"
        "    sys.stderr.write(f'\\r\\x1b[K{i} of 20000 MB')\n"
        "print('done')\n"
    )
    noisy.chmod(0o755)
    monkeypatch.setenv("MPANALYZE", str(noisy))

    def refuse(line: str) -> None:
        raise ValueError(line)

    with pytest.raises(ValueError, match="of 20000"):
        mpanalyze.run("analyze", "x", progress=refuse)


class Display:
    """What IPython's display returns."""

    shown: list[Any] = []

    def update(self, data: Any, raw: bool) -> None:
        self.shown.append(data["text/plain"])


def test_progress_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import ModuleType, SimpleNamespace

    def display(data: Any, raw: bool, display_id: bool) -> Display:
        Display.shown.append(data["text/plain"])
        return Display()

    ipython, inner = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=1)  # type: ignore[attr-defined]
    inner.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", inner)
    show = shower(None)
    assert show is not None and shower(False) is None
    show("")
    assert Display.shown == [], "nothing is shown where there was nothing to say"
    for line in ("1 MB", "2 MB", ""):
        show(line)
    assert Display.shown == ["1 MB", "2 MB", ""]
    monkeypatch.setattr(ipython, "get_ipython", lambda: None)
    assert shower(None) is None or sys.stderr.isatty()
