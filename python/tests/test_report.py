"""Reports, held against the program's own JSON and CSV."""

from __future__ import annotations

import csv
import gc
import json
import pickle
import re
import subprocess
from pathlib import Path

import pandas
import pytest

import mpanalyze


@pytest.fixture(scope="module")
def report(capture: Path) -> mpanalyze.Report:
    return mpanalyze.analyze(capture, label={"10.2.1.0/24": "wifi"}, progress=False)


def program(*args: str | Path) -> bytes:
    return subprocess.run([mpanalyze.program(), *map(str, args)], check=True, capture_output=True, timeout=60).stdout


def test_attributes_are_the_json(report: mpanalyze.Report, capture: Path) -> None:
    want = json.loads(program("analyze", capture, "--label=10.2.1.0/24=wifi", "--json", "--hash=auto"))
    assert report.document.to_dict() == want
    first = want["connections"][0]
    assert report[0].b2a.bytes == first["b2a"]["bytes"] == 1_500_000
    assert report[0].b2a.protocol_delay_ms.avg == first["b2a"]["protocol_delay_ms"]["avg"]
    assert [s.path for s in report[0].subflows] == [s["path"] for s in first["subflows"]]
    assert report.captures[0].packets == want["captures"][0]["packets"]
    assert len(report) == len(list(report)) == len(want["connections"])
    assert report.status == 0 and report.messages == ()


def test_what_is_absent_has_its_reason(report: mpanalyze.Report) -> None:
    b2a = report[0].b2a
    assert b2a.streaming is None
    assert b2a.unavailable.streaming == "not asked for (--bitrate)"


def test_names_that_are_not_there(report: mpanalyze.Report) -> None:
    with pytest.raises(AttributeError, match="did you mean .*'bytes'"):
        report[0].b2a.byte
    with pytest.raises(AttributeError, match="did you mean 'subflows'"):
        report.subflow
    with pytest.raises(AttributeError, match="tables: no 'packet'"):
        report.frame("packet")
    with pytest.raises(KeyError, match="no connection 7; there are 0"):
        report[7]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_are_whole(report: mpanalyze.Report, capture: Path, tmp_path: Path, library: str) -> None:
    """Every field of every table is in the frame: same columns, rows and values."""
    if library == "polars":
        pytest.importorskip("polars")
    program("analyze", capture, "--label=10.2.1.0/24=wifi", "--csv", tmp_path / "tables")
    tables = sorted((tmp_path / "tables").glob("*.csv"))
    assert report.tables == tuple(t.stem for t in tables)
    assert {"connections", "subflows", "series", "events"} <= set(report.tables)
    fields = 0
    for table in tables:
        frame = report.frame(table.stem, library)
        with table.open(newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f))
        assert list(frame.columns) == rows[0]
        assert len(frame) == len(rows) - 1
        for i, name in enumerate(rows[0]):
            for value, row in zip(frame[name].to_list(), rows[1:]):
                fields += 1
                assert same(value, row[i]), f"{table.name}, {name}: {value!r}, want {row[i]!r}"
    assert fields > 10_000


def same(value: object, text: str) -> bool:
    if text == "":
        return value is None or bool(pandas.isna(value))  # type: ignore[call-overload]
    if isinstance(value, bool):
        return str(value).lower() == text
    if isinstance(value, float):
        return value == float(text)
    return str(value) == text


def test_whole_numbers_stay_whole(tmp_path: Path) -> None:
    """A number of 64 bits beside a missing value, and a text that pandas takes for one."""
    from mpanalyze import _frames

    table = tmp_path / "t.csv"
    table.write_text("n,m,path,x,b\n9007199254740993,11408781550104029801,NA,1.5,true\n,,None,,\n", encoding="utf-8")
    frame = _frames.read(table, "pandas")
    assert str(frame["n"][0]) == "9007199254740993"
    assert str(frame["m"][0]) == "11408781550104029801"
    assert list(frame["path"]) == ["NA", "None"]
    assert frame["x"].dtype == "float64" and frame["b"].dtype == "boolean"
    polars = pytest.importorskip("polars")
    other = _frames.read(table, "polars")
    assert other["n"].dtype == polars.Int64 and other["n"][0] == 9007199254740993
    assert str(other["m"][0]) == "11408781550104029801"
    assert list(other["path"]) == ["NA", "None"]


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


def test_options_reach_the_program(capture: Path) -> None:
    report = mpanalyze.analyze(capture, interval="50ms", series="srtt", chunks=False, metrics="basic", tcp="none")
    assert report.made_by.options.interval == "50ms"
    assert set(report.series.metric) == {"srtt"}
    assert "chunks" not in report.tables
    both = mpanalyze.analyze(capture, series=["srtt", "rtt"])
    assert set(both.series.metric) == {"srtt", "rtt"}


def test_keep_and_temporary(capture: Path, tmp_path: Path) -> None:
    kept = mpanalyze.analyze(capture, keep=tmp_path / "new" / "kept", chunks=False)
    del kept
    gc.collect()
    assert (tmp_path / "new" / "kept" / "report.json").exists()
    assert (tmp_path / "new" / "kept" / "tables" / "subflows.csv").exists()
    report = mpanalyze.analyze(capture, chunks=False)
    file = report._files["series"]
    assert file.exists()
    del report
    gc.collect()
    assert not file.exists(), "the temporary tables were left behind"
    with pytest.raises(TypeError, match="keep=DIR"):
        mpanalyze.analyze(capture, csv=str(tmp_path))


def test_errors_are_the_programs_sentences(tmp_path: Path, capture: Path) -> None:
    with pytest.raises(mpanalyze.MpanalyzeError, match=r"none\.pcap: no such file or directory") as e:
        mpanalyze.analyze(tmp_path / "none.pcap")
    assert e.value.status == 1 and "analyze" in e.value.command
    text = tmp_path / "text.pcap"
    text.write_text("hello\n")
    with pytest.raises(mpanalyze.MpanalyzeError, match="not a capture"):
        mpanalyze.analyze(text)
    with pytest.raises(mpanalyze.MpanalyzeError, match=r"--intervall.*did you mean --interval\?"):
        mpanalyze.analyze(capture, intervall="50ms")
    with pytest.raises(mpanalyze.MpanalyzeError, match="--interval"):
        mpanalyze.analyze(capture, interval="fast")
    with pytest.raises(mpanalyze.MpanalyzeError, match="name one or several files"):
        mpanalyze.analyze()
    copy = pickle.loads(pickle.dumps(e.value))
    assert (str(copy), copy.status, copy.command) == (str(e.value), e.value.status, e.value.command)


def test_no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MPANALYZE", str(tmp_path / "none"))
    with pytest.raises(mpanalyze.MpanalyzeError, match="cannot be started"):
        mpanalyze.version()


def test_a_damaged_capture_is_a_warning(capture: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.pcap.zst"
    cut.write_bytes(capture.read_bytes()[:-1000])
    with pytest.warns(mpanalyze.DamagedWarning, match=re.escape(str(cut))):
        report = mpanalyze.analyze(cut)
    assert report.status == 2 and report.captures[0].damage is not None and len(report.messages) == 1


def test_pair(sessions: Path) -> None:
    run = sessions / "campaign" / "lia" / "run1"
    report = mpanalyze.pair(run / "client.pcap.zst", run / "server.pcap.zst", frames="pandas")
    assert {c.host for c in report.captures} == {"sender", "receiver"}
    assert report.clock.offset_ms is not None
    figure = report.plot(kind="owd")  # which takes both hosts' captures, by their names
    assert b"<svg" in figure.data


def test_why(report: mpanalyze.Report, capture: Path) -> None:
    verdicts = mpanalyze.why(capture).connections[0].verdicts
    assert "hol_blocked" in {v.code for v in verdicts}
    assert {v.code for v in report.why().connections[0].verdicts} == {v.code for v in verdicts}


def test_figures(report: mpanalyze.Report, capture: Path, tmp_path: Path) -> None:
    figure = report.plot(kind="series", metric=["srtt", "path_delay"])
    assert b"wifi" in figure.data, "labels of the report are those of the figure"
    assert figure._repr_html_().startswith("<img ") and "data:image/svg+xml;base64," in figure._repr_html_()
    figure.save(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_bytes() == figure.data
    with pytest.raises(ValueError, match=r"this figure is svg; plot\(..., format='png'\)"):
        figure.save(tmp_path / "x.png")
    png = mpanalyze.plot(capture, kind="dsn", from_="0.1s", to="0.5s", format="png")
    assert png.data.startswith(b"\x89PNG")
    pdf = mpanalyze.plot(capture, format="pdf")
    assert pdf.data.startswith(b"%PDF") and pdf._repr_html_().startswith("<embed ")
    with pytest.raises(mpanalyze.MpanalyzeError, match="kind"):
        mpanalyze.plot(capture, kind="pie")


def test_notebook_forms(capture: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.pcap.zst"
    copy.write_bytes(capture.read_bytes())
    report = mpanalyze.analyze(copy)
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&lt;html" in shown.lower() and 'sandbox="allow-scripts"' in shown
    report.page().save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.page().html
    assert "connection 0" in str(report) and "1 connections" in repr(report)
    again = mpanalyze.analyze(copy)
    copy.unlink()
    assert again._repr_html_().startswith("<pre>")


def test_run(capture: Path) -> None:
    lines = mpanalyze.run("packets", capture, connection=0, progress=False).text.splitlines()
    assert len(lines) == 1744 + 1
    assert mpanalyze.version().startswith("mpanalyze ")


def test_parquet(capture: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    report = mpanalyze.analyze(capture, parquet=tmp_path, progress=False)
    assert sorted(f.stem for f in tmp_path.iterdir()) == sorted(report.tables)
    for name in report.tables:
        frame = pandas.read_parquet(tmp_path / f"{name}.parquet")
        assert list(frame.columns) == list(report.frame(name).columns) and len(frame) == len(report.frame(name))
    assert (pandas.read_parquet(tmp_path / "series.parquet").value == report.series.value).all()
