"""Analyse packet captures of Multipath TCP.

The package carries the program ``mpanalyze`` and runs it. What the program measures
comes as a :class:`Report`, its tables as data frames::

    import mpanalyze

    report = mpanalyze.analyze("session.pcap", label={"10.0.1.0/24": "wifi"})
    report[0].b2a.protocol_delay_ms.avg    # by the names of the JSON report
    report.subflows[["path", "bytes"]]     # a table of the program as a data frame
    report.series                          # every sample over time
    report.plot(kind="dsn")                # a figure, shown in a notebook

Options have the names of the program's flags, with ``_`` for ``-``; ``mpanalyze analyze
--help`` lists them. What the program refuses is a :class:`MpanalyzeError` with its own
sentence. Nothing is parsed, measured or judged in Python.
"""

from ._compare import Comparison, compare
from ._errors import DamagedWarning, MpanalyzeError
from ._figure import Figure, Page, plot
from ._node import Node
from ._program import Completed, program, run, version
from ._report import Report, analyze, pair, why

__all__ = [
    "Comparison",
    "Completed",
    "DamagedWarning",
    "Figure",
    "MpanalyzeError",
    "Node",
    "Page",
    "Report",
    "analyze",
    "compare",
    "pair",
    "plot",
    "program",
    "run",
    "version",
    "why",
]
