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
    want = mpanalyze.analyze(run, chunks=False, series="none")[0].b2a.goodput_mbps.avg
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
    with pytest.raises(TypeError, match="values: the comparison has it already"):
        mpanalyze.compare({}, values="x.csv")
