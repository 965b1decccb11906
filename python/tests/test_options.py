"""Options as flags."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from mpanalyze._options import Option, files, flags


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({"max_memory": "1GiB"}, ["--max-memory=1GiB"]),
        ({"from_": "2s", "to": "3s"}, ["--from=2s", "--to=3s"]),
        ({"decap": True, "both": False, "filter": None}, ["--decap", "--both=false"]),
        ({"max_memory": 0.5, "connection": 0}, ["--max-memory=0.5", "--connection=0"]),
        ({"stream": {"bitrate": "4M", "playout": timedelta(seconds=1)}}, ["--stream=bitrate=4M", "--stream=playout=1000000us"]),
        ({"interval": timedelta(milliseconds=50)}, ["--interval=50000us"]),
        ({"label": {"10.0.1.0/24": "wifi", "::/0": "all"}}, ["--label=10.0.1.0/24=wifi", "--label=::/0=all"]),
        ({"sender": [Path("a b"), "c"]}, ["--sender=a b", "--sender=c"]),
        ({"sender": Path("a")}, ["--sender=a"]),
        ({"metric": ("srtt", "goodput")}, ["--metric=srtt", "--metric=goodput"]),
        ({"baseline": {"old": ["o1", Path("o2")]}}, ["--baseline=old=o1,o2"]),
        ({"baseline": {"old=1": ["a,b", 'c"d', '"e']}}, ['--baseline="old=1"="a,b",c"d,"""e"']),
        ({"label": {"10.0.1.0/24": "a,b"}}, ["--label=10.0.1.0/24=a,b"]),
        ({"tables": ""}, ["--tables="]),
    ],
)
def test_flags(options: dict[str, Option], want: list[str]) -> None:
    assert list(flags(options)) == want


def test_files_are_no_flags() -> None:
    assert files(["-x.pcap", "-", Path("y")]) == ["./-x.pcap", "-", "y"]
