"""Campaigns."""

from __future__ import annotations

from pathlib import Path

import pytest

import mpanalyze


@pytest.fixture(scope="module")
def comparison(campaign: dict[str, list[Path]]) -> mpanalyze.Comparison:
    return mpanalyze.compare(campaign, progress=False, no_cache=True)


def test_values_and_table(comparison: mpanalyze.Comparison, campaign: dict[str, list[Path]]) -> None:
    values = comparison.values
    assert list(values.columns[:2]) == ["scenario", "run"]
    goodput = values[(values.direction == "b2a") & (values.metric == "goodput_mbps.avg")]
    assert sorted(goodput.scenario) == ["LIA", "LIA", "OLIA", "OLIA"]
    # What the comparison read is what a report on the same capture says.
    run = campaign["LIA"][0]
    want = mpanalyze.analyze(run, tables="none")[0].b2a.goodput_mbps.avg
    assert goodput[goodput.run == str(run)].value.tolist() == pytest.approx([want], rel=1e-6)
    assert "LIA" in str(comparison) and comparison.status == 0
    assert {s.name for s in comparison.scenarios} == {"LIA", "OLIA"}
    assert comparison._repr_html_().startswith("<iframe ")
    with pytest.raises(AttributeError, match="did you mean 'scenarios'"):
        comparison.scenario


def test_too_few_runs_to_tell(campaign: dict[str, list[Path]]) -> None:
    told = mpanalyze.compare({"new": campaign["LIA"]}, baseline={"old": campaign["OLIA"]}, fail_on="protocol_delay>5%", no_cache=True)
    assert told.status == 5


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(mpanalyze.MpanalyzeError) as e:
        mpanalyze.compare({"a": [tmp_path / "none.pcap"], "b": [tmp_path / "neither.pcap"]}, no_cache=True)
    assert e.value.status == 1 and "none.pcap" in str(e.value)
    with pytest.raises(TypeError, match="parquet: the comparison has it already"):
        mpanalyze.compare({}, parquet=tmp_path)
    for file in ("x.pcap", Path("x.pcap")):
        with pytest.raises(TypeError, match=r"scenario 'a': want a list of runs, as \['x.pcap'\]"):
            mpanalyze.compare({"a": file})  # type: ignore[dict-item]


def test_names_with_commas_and_equal_signs(campaign: dict[str, list[Path]], tmp_path: Path) -> None:
    named = [tmp_path / name for name in ("a,b.pcap.zst", "c=d, e.pcap.zst", 'f",g.pcap.zst')]
    for file in named:
        file.write_bytes(campaign["LIA"][0].read_bytes())
    with mpanalyze.compare({'x="1",2': named[:2], "y": named[2:]}, baseline={"old=,": named}, no_cache=True) as comparison:
        values = comparison.values
    assert {s.name for s in comparison.scenarios} == {'x="1",2', "y"}
    assert set(zip(values.scenario, values.run)) >= {('x="1",2', str(named[0])), ('x="1",2', str(named[1])), ("y", str(named[2]))}


def test_keep(campaign: dict[str, list[Path]], tmp_path: Path) -> None:
    comparison = mpanalyze.compare(campaign, keep=tmp_path, tables="srtt", no_cache=True)
    comparison.close()
    assert sorted(f.name for f in tmp_path.iterdir()) == ["compare.html", "compare.json", "tables"]
    assert comparison.tables == ("series", "table", "values")
