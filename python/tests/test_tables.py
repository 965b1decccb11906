"""Tables as data frames: Parquet of the program, held against its CSV."""

from __future__ import annotations

import csv
import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas
import pytest

import mpanalyze


@pytest.fixture(scope="module")
def report(capture: Path) -> mpanalyze.Report:
    return mpanalyze.analyze(capture, label={"10.2.1.0/24": "wifi"}, progress=False)


@pytest.fixture(scope="module", params=["pandas", "polars"])
def library(request: pytest.FixtureRequest) -> Any:
    pytest.importorskip(request.param)
    return request.param


def test_tables_are_whole(report: mpanalyze.Report, capture: Path, tmp_path: Path, library: Any) -> None:
    """Every field of every table is in the frame: same columns, rows and values."""
    mpanalyze.run("analyze", capture, label={"10.2.1.0/24": "wifi"}, csv=tmp_path)
    tables = sorted(tmp_path.glob("*.csv"))
    assert report.tables == tuple(t.stem for t in tables)
    assert {"connections", "subflows", "series", "events"} <= set(report.tables)
    fields = 0
    for table in tables:
        frame = report.frame(table.stem, library)
        with table.open(newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f))
        assert list(frame.columns) == ["capture", *rows[0]]
        assert frame["capture"].to_list() == [str(capture)] * (len(rows) - 1)
        for i, name in enumerate(rows[0]):
            for value, row in zip(frame[name].to_list(), rows[1:]):
                fields += 1
                assert same(value, row[i]), f"{table.name}, {name}: {value!r}, want {row[i]!r}"
    assert fields > 10_000


def same(value: Any, text: str) -> bool:
    if text == "":
        return value is None or bool(pandas.isna(value))
    if isinstance(value, bool):
        return str(value).lower() == text
    if isinstance(value, float):
        return value == float(text)
    if hasattr(value, "isoformat"):
        return bool(pandas.Timestamp(value) == pandas.Timestamp(text))
    return str(value) == text


def test_types_do_not_depend_on_what_was_captured(sessions: Path, library: Any) -> None:
    """So tables of several captures go into one. Some have no rows, some columns no value."""
    captures = [
        sessions / "v1" / "l-single-loss" / "client.pcap.zst",
        sessions / "v1" / "b-lte-cubic" / "server.pcap.zst",
        sessions / "campaign" / "lia" / "run1" / "client.pcap.zst",
    ]
    reports = [mpanalyze.analyze(c, frames=library, tables="srtt") for c in captures]
    assert any(len(r.tcp) == 0 for r in reports)
    for table in reports[0].tables:
        frames = [r.frame(table) for r in reports]
        for frame in frames[1:]:
            assert dict(zip(frame.columns, frame.dtypes)) == dict(zip(frames[0].columns, frames[0].dtypes)), table
            assert not [t for t in frame.dtypes if str(t) == "object"], table
        together = sys.modules[library].concat(frames)
        assert len(together) == sum(map(len, frames))
        assert set(together["capture"]) == {str(c) for c, frame in zip(captures, frames) if len(frame)}, table


def test_whole_numbers_stay_whole(tmp_path: Path, library: Any) -> None:
    """A number of 64 bits beside a missing value, and a text that pandas takes for one."""
    import pyarrow
    import pyarrow.parquet

    from mpanalyze import _frames

    columns = {
        "n": pyarrow.array([9007199254740993, None], pyarrow.int64()),
        "m": pyarrow.array([11408781550104029801, None], pyarrow.uint64()),
        "path": pyarrow.array(["NA", ""], pyarrow.string()),
        "b": pyarrow.array([True, None], pyarrow.bool_()),
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    frame = _frames.read(tmp_path / "t.parquet", library, capture="x;y")
    assert [str(v) for v in (frame["n"][0], frame["m"][0], frame["b"][0])] == ["9007199254740993", "11408781550104029801", "True"]
    assert list(frame["path"]) == ["NA", ""] and list(frame["capture"]) == ["x;y", "x;y"]
    assert [bool(pandas.isna(frame[name][1])) for name in ("n", "m", "b")] == [True] * 3


def test_frames(report: mpanalyze.Report) -> None:
    assert report.connections["b2a_bytes"].tolist() == [1_500_000]
    srtt = report.series[report.series.metric == "srtt"]
    assert len(srtt) > 10 and srtt.value.dtype == "float64"
    assert set(report.subflows.path) == {"wifi", "10.2.2.1-10.2.100.2"}
    assert "join" in set(report.events.kind)
    assert report.series is report.series, "a table is read once"
    polars = pytest.importorskip("polars")
    assert isinstance(report.frame("series", "polars"), polars.DataFrame)
    with pytest.raises(ValueError, match="want 'pandas' or 'polars'"):
        report.frame("series", "arrow")


def test_keep_and_temporary(capture: Path, tmp_path: Path) -> None:
    with mpanalyze.analyze(capture, keep=tmp_path / "new" / "kept", tables="series") as kept:
        pass
    assert (tmp_path / "new" / "kept" / "report.json").exists()
    table = pandas.read_parquet(tmp_path / "new" / "kept" / "tables" / "subflows.parquet")
    assert len(table) == len(kept.document["connections"][0]["subflows"]) * 2
    report = mpanalyze.analyze(capture, tables="series")
    folder = report._folder.path
    assert len(report.subflows) == 4 and (folder / "tables" / "series.parquet").exists()
    del report
    gc.collect()
    assert not folder.exists(), "the temporary tables were left behind"
    with pytest.raises(TypeError, match="keep=DIR"):
        mpanalyze.analyze(capture, parquet=str(tmp_path))


def test_close(capture: Path) -> None:
    with mpanalyze.analyze(capture, tables="series") as report:
        events = report.events
        folder = report._folder.path
        assert folder.exists()
    assert not folder.exists()
    assert report.events is events and report[0].b2a.bytes == 1_500_000, "what was read stays"
    with pytest.raises(ValueError, match=r"'series' was not read before close\(\)"):
        report.series
    report.close()  # a second time does nothing


def test_no_warnings(capture: Path) -> None:
    """Nothing is left open, and no library warns, whether a report is closed, forgotten or failed."""
    script = """
import gc, sys, mpanalyze
for library in sys.argv[2:]:
    report = mpanalyze.analyze(sys.argv[1], frames=library)
    [report.frame(t) for t in report.tables]
    with report: pass
    mpanalyze.analyze(sys.argv[1]); gc.collect()
try: mpanalyze.analyze("none.pcap")
except mpanalyze.MpanalyzeError: pass
left = mpanalyze.compare({"a": [sys.argv[1]], "b": [sys.argv[1]]}, no_cache=True)
left.values
"""
    libraries = [name for name in ("pandas", "polars") if pytest.importorskip(name)]
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", script, capture, *libraries], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
