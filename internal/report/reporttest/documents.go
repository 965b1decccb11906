// Package reporttest has documents for tests of packages that read reports, and the check that
// every report passes.
package reporttest

import (
	"fmt"

	"mpanalyze/internal/report"
)

// start is 2026-01-02T03:04:05.000000006Z.
const start = report.Time(1767323045_000000006)

// stat is a summary of one repeated value.
func stat(v float64) report.Stat {
	return report.Stat{Avg: v, Min: v, Max: v, P50: v, P95: v, P99: v, Samples: 9, Evidence: report.Observed}
}

// TwoPaths is a download over two paths. It has one example of everything that a
// summary mentions.
func TwoPaths() report.Connection {
	data := func(bytes int64, share, srtt, mbps float64) *report.SubDir {
		return &report.SubDir{
			Segments: bytes / 1428, CapturedSegments: bytes / 1428, Bytes: &bytes, BytesUnique: &bytes, ReinjectedBytes: new(int64),
			Share: &share, SRTT: &report.SRTTStat{SpreadStat: report.SpreadStat{Stat: stat(srtt)}},
			Throughput: &report.RateStat{Avg: mbps, Evidence: report.Observed},
			Drops:      &report.Drops{Evidence: report.Inferred, Percent: new(0.0)}, RetransmissionRatio: new(0.0),
		}
	}
	wifi := report.Subflow{
		ID: 0, Path: "wifi", Initiator: new(report.SideA), JoinHMAC: report.HMACNone, State: report.SubflowClosed,
		A: report.Endpoint{Addr: "10.0.1.1", Port: 43210}, B: report.Endpoint{Addr: "10.1.0.1", Port: 80},
		A2B: &report.SubDir{CapturedSegments: 1, Segments: 1, Bytes: new(int64(512)), BytesUnique: new(int64(512)), ReinjectedBytes: new(int64), Unavailable: report.Reasons{{Metric: "drops", Why: "capture at the receiver"}, {Metric: "srtt_ms", Why: "capture at the receiver, no timestamps"}}},
		B2A: data(7_000_000, 70, 20.4, 4.5),
	}
	wifi.B2A.RetransmittedSegments, wifi.B2A.RetransmittedBytes, wifi.B2A.RetransmissionRatio = 12, 17136, new(0.244)
	wifi.B2A.Drops.Count, wifi.B2A.Drops.Percent = 11, new(0.224)
	lte := report.Subflow{
		ID: 1, Path: "[2001:db8:1::1]:50000-[2001:db8:2::2]:80", Initiator: new(report.SideA), Backup: true, JoinHMAC: report.HMACValid, State: report.SubflowReset,
		A: report.Endpoint{Addr: "2001:db8:1::1", Port: 50000}, B: report.Endpoint{Addr: "2001:db8:2::2", Port: 80},
		A2B: &report.SubDir{}, B2A: data(3_000_000, 30, 101, 1.94),
	}
	lte.B2A.ReinjectedBytes = new(int64(1428))
	idle := report.Subflow{ID: 2, Path: "idle", State: report.SubflowRefused, JoinHMAC: report.HMACUnchecked, A2B: &report.SubDir{}, B2A: &report.SubDir{}}
	return report.Connection{
		ID: 0, Version: new(1), Checksum: new(false), Handshake: true, Vantage: report.VantageB, VantageEvidence: "packet types of the cooked capture",
		TokenA: new("0x01d58c2b"), Start: start, DurationS: 12.3456, State: report.ConnClosed,
		Subflows: []report.Subflow{wifi, lte, idle},
		A2B:      &report.ConnDir{Bytes: new(int64(512))},
		B2A: &report.ConnDir{
			Bytes: new(int64(10_000_000)), RetransmittedBytes: 17136, ReinjectedBytes: new(int64(1428)),
			Goodput:       &report.RateStat{Avg: 6.4801, Evidence: report.Observed},
			ProtocolDelay: new(stat(101.1)), HoLDegree: new(stat(-2.5)), HoLBlocking: new(stat(3.36)),
			OutOfOrder: &report.OutOfOrder{Chunks: 7, Ratio: 0.239, Evidence: report.Observed},
			Paths:      []report.PathShare{{Path: "wifi", Subflows: []int{0}, Bytes: new(int64(7_000_000))}},
		},
		Events: []report.Event{
			{TS: 0.01, Subflow: new(1), Kind: report.EventJoin},
			{TS: 0.02, Subflow: new(0), Kind: report.EventAddAddr, Detail: "id 2"},
			{TS: 0.03, Subflow: new(0), Kind: report.EventAddAddr, Detail: "id 3"},
			{TS: 3.2, Subflow: new(1), Kind: report.EventReset, Detail: "from b, reason 3: unacceptable performance"},
			{TS: 12.3, Kind: report.EventDataFin},
		},
	}
}

// fellBack is a connection that fell back because of a middlebox. Its texts are those
// of an attacker.
func fellBack() report.Connection {
	return report.Connection{
		ID: 1, Version: new(0), Checksum: new(true), Vantage: report.VantageUnknown, Start: start, DurationS: 0.5, State: report.ConnOpen,
		Fallback: new("\x1b[2Joptions \u202estripped since 0.2 s"),
		Subflows: []report.Subflow{{
			Path: "a\x1b]0;owned\x07b", State: report.SubflowOpen, A: report.Endpoint{Addr: "10.0.0.1\x9b31m", Port: 1}, B: report.Endpoint{Addr: "10.0.0.2", Port: 2},
			A2B: &report.SubDir{}, B2A: &report.SubDir{},
		}},
		A2B: &report.ConnDir{}, B2A: &report.ConnDir{},
		Events: []report.Event{{TS: 0.2, Kind: "new\rkind", Detail: "\xff\nsecond line"}},
	}
}

// Everything is a document with connections of several kinds, a plain connection and warnings.
func Everything() *report.Document {
	return &report.Document{
		Schema: report.SchemaName,
		Captures: []report.Capture{
			{File: "session.pcap.zst", Format: "pcapng+zstd", LinkTypes: []string{"EN10MB", "LINUX_SLL2"}, Packets: 12345, Bytes: 15_200_000, First: new(start), Last: new(start + 12_345_600_000)},
			{
				File: "cut\x1b[31m.pcap", Format: "pcap", LinkTypes: []string{"RAW"}, Packets: 1, Bytes: 60, Truncated: true,
				Damage:  &report.Damage{Packet: 1, Offset: 100, Message: "the file ends after 4 of the 60 bytes of this record"},
				Skipped: report.Skipped{NotTCP: 3, Fragments: 1},
			},
		},
		Connections: []report.Connection{TwoPaths(), fellBack()},
		TCP: []report.TCP{{
			ID: 0, A: report.Endpoint{Addr: "10.0.0.9", Port: 40000}, B: report.Endpoint{Addr: "10.0.0.2", Port: 22}, Path: `say "ssh", please`,
			MPTCP: new(report.Requested), State: report.SubflowHalfClosed, Start: start, DurationS: 3,
			A2B: &report.SubDir{BytesUnique: new(int64(98))}, B2A: &report.SubDir{BytesUnique: new(int64(1_011_584)), RetransmittedBytes: 2856, Throughput: &report.RateStat{Avg: 2.697557333333}},
		}},
		Warnings: []report.Warning{
			{Code: "truncated", Message: "the file ends inside a packet", Packet: new(int64(2)), Count: 1, File: new("cut\x1b[31m.pcap")},
			{Code: "bad_option", Message: "an MPTCP option has no legal form", Packet: new(int64(17)), Count: 4, Connection: new(0)},
		},
	}
}

// Crowd is a document with n connections. The k-th carried k kB.
func Crowd(n int) *report.Document {
	d := &report.Document{Schema: report.SchemaName}
	for i := range n {
		d.Connections = append(d.Connections, report.Connection{
			ID: i, Version: new(1), Checksum: new(false), State: report.ConnClosed, Vantage: report.VantageA, Start: start, Handshake: true, DurationS: 1,
			Subflows: []report.Subflow{{A: report.Endpoint{Addr: fmt.Sprintf("10.0.%d.1", i), Port: 50000 + i}, B: report.Endpoint{Addr: "10.99.0.1", Port: 80}, Path: "x", A2B: &report.SubDir{}, B2A: &report.SubDir{}}},
			A2B:      &report.ConnDir{}, B2A: &report.ConnDir{Bytes: new(int64(i) * 1000)},
		})
	}
	return d
}
