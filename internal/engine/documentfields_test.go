package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// TestOptionsOfReport: each option stands in the report under its name.
func TestOptionsOfReport(t *testing.T) {
	o := engine.Options{
		Version: "v7", Interval: 50 * time.Millisecond, Skip: 2 * time.Second, Until: 3 * time.Second, Omit: catalogue.AllFamilies &^ catalogue.FamilyVerdicts, Filter: "tcp", Decap: true, Vantage: report.VantageB,
		Labels: []engine.Label{{Prefix: netip.MustParsePrefix("10.0.0.0/8"), Name: "lte"}}, QoE: metrics.QoE{Alpha: 4, Beta: 5, Gamma: 6}, Regret: true, Fairness: true,
		Player: metrics.Player{Bitrate: 7, Playout: 8 * time.Second, MessageGap: 9 * time.Second}, Clock: clock.Drift, Receiver: []string{"there"}, End: report.ReceiverHost, Connection: 10, Direction: report.B2A,
		Evidence: []hosts.Source{{End: report.SideB, Path: "x"}, {Path: "y"}},
	}
	want := &report.MadeBy{Version: "v7", Options: report.Options{
		Interval: "50ms", Skip: "2s", Until: "3s", Metrics: "verdicts", Filter: "tcp", Decap: true, Vantage: "b", Labels: []string{"10.0.0.0/8=lte"}, QoEAlpha: 4, QoEBeta: 5, QoEGamma: 6, Regret: true, Fairness: true,
		Bitrate: 7, Playout: "8s", MessageGap: "9s", Clock: "drift", End: "receiver", Connection: new(10), Direction: "b2a", Evidence: []string{"b=x", "y"},
	}}
	assert.Check(t, is.DeepEqual(o.MadeBy(), want))
	o.Receiver, o.Connection = nil, engine.AllConnections
	if m := o.MadeBy(); m.Options.End != "" || m.Options.Connection != nil {
		t.Errorf("of one capture and all connections: %+v", m.Options)
	}
}

// cookedFile writes packets behind a header of LINUX_SLL2, one each second from 100 s on, with so many bytes more on the wire.
type cookedFile struct {
	bytes.Buffer
	n, wire int
}

func (f *cookedFile) put(protocol uint16, device uint32, packet []byte, cut int) {
	link := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(nil, protocol), 0)[:4]
	link = append(binary.BigEndian.AppendUint32(link, device), 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0)
	size := len(link) + len(packet)
	for _, v := range []int{100 + f.n, 0, size, size + cut} {
		f.Write(binary.LittleEndian.AppendUint32(nil, uint32(v)))
	}
	f.Write(append(link, packet...))
	f.n, f.wire = f.n+1, f.wire+size+cut
}

// TestCaptureOfReport: what the file holds, and which of its packets were left out for which reason.
func TestCaptureOfReport(t *testing.T) {
	ip := func(first, protocol byte, fragment, id uint16, payload []byte) []byte {
		b := binary.BigEndian.AppendUint16([]byte{first, 0}, uint16(20+len(payload)))
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, id), fragment)
		return append(append(b, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2), payload...)
	}
	segment := func(port, flags byte) []byte {
		return []byte{0x9c, 0x40, 0, port, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, flags, 16, 0, 0, 0, 0, 0}
	}
	var f cookedFile
	for _, v := range []uint32{0xa1b2c3d4, 2 | 4<<16, 0, 0, 300, 276} {
		f.Write(binary.LittleEndian.AppendUint32(nil, v))
	}
	f.put(0x0800, 1, ip(0x45, 6, 0, 1, segment(80, 2)), 0)
	f.n-- // a copy that another device shows at the same time
	f.put(0x0800, 2, ip(0x45, 6, 0, 1, segment(80, 2)), 0)
	for i := range uint16(20) {
		switch id := 10 + i; {
		case i < 2:
			f.put(0x0806, 1, make([]byte, 28), 0) // ARP
		case i < 5:
			f.put(0x0800, 1, ip(0x45, 17, 0, id, segment(0, 2)), 0) // UDP
		case i < 9:
			f.put(0x0800, 1, ip(0x45, 6, 0x2000, id, segment(0, 2)), 0) // more fragments follow
		case i < 14:
			f.put(0x0800, 1, ip(0x44, 6, 0, id, segment(0, 2)), 0) // a header of 16 bytes
		case i < 16:
			f.put(0x0800, 1, ip(0x45, 6, 0, id, segment(82, 4)), 0) // RSTs, and nothing else of their connection
		default:
			f.put(0x0800, 1, ip(0x45, 6, 0, id, segment(81, 2)), 7) // filtered, and 7 bytes are cut off
		}
	}
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{"-"}, Stdin: &f, Connection: engine.AllConnections, Filter: "not tcp port 81"})
	assert.NilError(t, err)
	want := report.Capture{
		File: "-", Format: "pcap", LinkTypes: []string{"LINUX_SLL2"}, SnapLen: 300, Packets: 22, Bytes: int64(f.wire), First: new(report.Time(100e9)), Last: new(report.Time(120e9)), Snapped: 4,
		Skipped: report.Skipped{NotIP: 2, NotTCP: 3, Fragments: 4, Malformed: 5, Duplicates: 1, Filtered: 4, NoConnection: 2},
	}
	assert.Check(t, is.DeepEqual(doc.Captures[0], want))
}
