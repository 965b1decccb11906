"""Reports, held against the program's own JSON."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
from pathlib import Path

import pytest

import mpanalyze


@pytest.fixture(scope="module")
def report(capture: Path) -> mpanalyze.Report:
    return mpanalyze.analyze(capture, label={"10.2.1.0/24": "wifi"}, progress=False)


def program(*args: str | Path) -> bytes:
    return subprocess.run([mpanalyze.program(), *map(str, args)], check=True, capture_output=True, timeout=60).stdout


def test_attributes_are_the_json(report: mpanalyze.Report, capture: Path) -> None:
    want = json.loads(program("analyze", capture, "--label=10.2.1.0/24=wifi", "--json"))
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
    assert b2a.unavailable.streaming == "not asked for (--stream)"


def test_names_that_are_not_there(report: mpanalyze.Report) -> None:
    with pytest.raises(AttributeError, match="did you mean .*'bytes'"):
        report[0].b2a.byte
    with pytest.raises(AttributeError, match="did you mean 'subflows'"):
        report.subflow
    with pytest.raises(AttributeError, match="tables: no 'packet'"):
        report.frame("packet")
    with pytest.raises(KeyError, match="no connection 7; there are 0'"):
        report[7]


@pytest.mark.parametrize(("ids", "want"), [([], "none"), ([3], "3"), ([0, 1, 2, 5, 8, 7], "0 to 2, 5, 7 to 8")])
def test_ids(ids: list[int], want: str) -> None:
    from mpanalyze._report import _ids

    assert _ids(ids) == want


def test_options_reach_the_program(capture: Path) -> None:
    report = mpanalyze.analyze(capture, interval="50ms", tables="srtt", metric="basic", tcp="none")
    assert report.made_by.options.interval == "50ms"
    assert set(report.series.metric) == {"srtt"}
    assert "chunks" not in report.tables
    both = mpanalyze.analyze(capture, tables=["chunks", "srtt", "rtt"])
    assert set(both.series.metric) == {"srtt", "rtt"}


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
