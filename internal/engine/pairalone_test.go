package engine_test

import (
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// twoUploads plays two uploads at the same time, the first over two subflows,
// from ports 1001, 1002 and 2001, of 100 packets each.
func twoUploads() *tracegen.Network {
	net := tracegen.NewNetwork(time.Time{})
	for c := range 2 {
		s := net.Session(tracegen.Config{Version: 1, AckEvery: 1, Keys: [2]uint64{uint64(10 + c), uint64(20 + c)}})
		for i := range 2 - c {
			f := s.Subflow(tracegen.Path{
				A:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), uint16(1000*(c+1)+i+1)),
				B:     netip.MustParseAddrPort("198.51.100.1:443"),
				ISN:   [2]seq.Wire{seq.Wire(1000 * (c + 1)), seq.Wire(77 * (i + 1))},
				Nonce: [2]uint32{uint32(c + 1), uint32(i + 1)}, ID: [2]uint8{uint8(i), 0}, MSS: 1046, // without 40 bytes of options, 1006 are left: a packet is one segment
			})
			f.Open(time.Duration(50*i) * time.Millisecond)
			for k := range 100 {
				f.Data(tracegen.A2B, time.Duration(200+k)*time.Millisecond, int64(1000*(2*k+i)), 1000)
			}
		}
		s.Close(time.Second, 200_000, 0)
	}
	return net
}

// writeView writes the packets of a view that keep approves.
func writeView(t testing.TB, name string, packets []tracegen.Packet, format tracegen.Format, keep func(*tracegen.Packet) bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	assert.NilError(t, err)
	defer f.Close()
	w, err := tracegen.NewWriter(f, format)
	assert.NilError(t, err)
	for i := range packets {
		if p := packets[i]; keep == nil || keep(&p) {
			assert.NilError(t, w.Write(&p))
		}
	}
	assert.NilError(t, w.Flush())
	return path
}

// paired returns options for both captures of a network, by clocks that agree.
func paired(t testing.TB, n *tracegen.Network, keepA, keepB func(*tracegen.Packet) bool) engine.Options {
	t.Helper()
	o := wholly(writeView(t, "a.pcap", n.Packets(tracegen.HostA), nanoseconds, keepA))
	o.Receiver, o.Clock = []string{writeView(t, "b.pcap", n.Packets(tracegen.HostB), nanoseconds, keepB)}, clock.None
	return o
}

func without(port uint16) func(*tracegen.Packet) bool {
	return func(p *tracegen.Packet) bool { return p.Src.Port() != port && p.Dst.Port() != port }
}

// TestOneCaptureAlone: connections that only one capture has are in the report, too, and
// marked: with the figures of that capture, and without figures that need both.
func TestOneCaptureAlone(t *testing.T) {
	type subflow struct {
		Port   int
		OnlyIn string
		OWD    bool
		Drops  report.Evidence
	}
	type connection struct {
		ID       int
		OnlyIn   string
		Subflows []subflow
	}
	name := func(h *report.Host) string {
		if h == nil {
			return ""
		}
		return string(*h)
	}
	whole := connection{ID: 0, Subflows: []subflow{{1001, "", true, report.Matched}, {1002, "", true, report.Matched}}}
	for _, c := range []struct {
		name    string
		missing [2]uint16 // port that a capture misses
		one     int       // of the connections selected
		want    []connection
	}{
		{"a connection in the receiver's", [2]uint16{2001, 0}, engine.AllConnections, []connection{
			whole, {1, "receiver", []subflow{{2001, "receiver", false, report.Holes}}},
		}},
		{"a connection in the sender's", [2]uint16{0, 2001}, engine.AllConnections, []connection{
			whole, {1, "sender", []subflow{{2001, "sender", false, report.Inferred}}},
		}},
		{"a subflow in the receiver's", [2]uint16{1002, 0}, 0, []connection{
			{0, "", []subflow{{1001, "", true, report.Matched}, {1002, "receiver", false, report.Holes}}},
		}},
		{"a connection selected", [2]uint16{2001, 0}, 1, []connection{
			{1, "receiver", []subflow{{2001, "receiver", false, report.Holes}}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := paired(t, twoUploads(), without(c.missing[0]), without(c.missing[1]))
			o.Connection = c.one
			doc := analyzed(t, o)
			var got []connection
			for i := range doc.Connections {
				x := &doc.Connections[i]
				g := connection{ID: x.ID, OnlyIn: name(x.OnlyIn)}
				for j := range x.Subflows {
					s := &x.Subflows[j]
					g.Subflows = append(g.Subflows, subflow{s.A.Port, name(s.OnlyIn), s.A2B.OWD != nil, s.A2B.Drops.Evidence})
				}
				got = append(got, g)
			}
			assert.Check(t, is.DeepEqual(got, c.want))
		})
	}
}

// TestSenderMissedTheBeginning: the sender's capture misses the first of two subflows. By
// clocks that agree, its SYN is at the receiver 40 ms before the SYN of the second one is
// sent: the connection begins then.
func TestSenderMissedTheBeginning(t *testing.T) {
	o := paired(t, twoUploads(), without(1001), nil)
	o.Connection = 1
	doc := analyzed(t, o)
	c := &doc.Connections[0] // the other one's SYN comes earlier in the sender's capture
	if len(c.Subflows) != 2 || c.Subflows[0].A.Port != 1002 || c.Subflows[1].OnlyIn == nil {
		t.Fatalf("%d subflows, the first from port %d; want that of port 1002, and another in one capture alone", len(c.Subflows), c.Subflows[0].A.Port)
	}
	start := tracegen.Start.Add(10 * time.Millisecond).UnixNano()
	if got := int64(c.Start); got < start-1000 || got > start+1000 {
		t.Errorf("begins %v after the session, want 10 ms", time.Duration(got-tracegen.Start.UnixNano()))
	}
	for i, want := range []float64{0.040, 0} {
		if got := c.Subflows[i].StartS; math.Abs(got-want) > 1e-6 {
			t.Errorf("subflow %d begins at %v s, want %v", i, got, want)
		}
		if end := c.Subflows[i].EndS; end > c.DurationS {
			t.Errorf("subflow %d ends at %v s of %v", i, end, c.DurationS)
		}
	}
	for _, e := range c.Events {
		assert.Check(t, e.TS >= 0.040-1e-6, "%s at %v s, before anything that the sender's capture shows", e.Kind, e.TS)
	}
	if *c.A2B.Bytes != 200_000 {
		t.Errorf("%d bytes, want those of both subflows", *c.A2B.Bytes)
	}
	if !slices.ContainsFunc(doc.Warnings, func(w report.Warning) bool { return w.Code == "start_moved" }) {
		t.Errorf("no warning that the start moved: %v", doc.Warnings)
	}
}

// TestClocksUnknown: paths take 10 ms, and the receiver's capture shows data 25 ms too early. The least delays are -15 ms and 10 ms, so no offset of the clocks is possible:
// delays between the captures are absent. A subflow that only the receiver's capture shows
// begins there with the connection, and so it does in the report.
func TestClocksUnknown(t *testing.T) {
	net := twoUploads()
	there := slices.Clone(net.Packets(tracegen.HostB))
	for i := range there {
		if there[i].Dst.Port() == 443 && there[i].PayloadLen > 0 {
			there[i].Time -= 25e6
		}
	}
	slices.SortStableFunc(there, func(a, b tracegen.Packet) int { return int(a.Time - b.Time) })
	a := writeView(t, "a.pcap", net.Packets(tracegen.HostA), tracegen.Format{Nanosecond: true}, without(1001))
	b := writeView(t, "b.pcap", there, tracegen.Format{Nanosecond: true}, nil)
	o := wholly(a)
	o.Receiver, o.Connection = []string{b}, 1
	doc := analyzed(t, o)
	const why = "the least delays of both directions add up to less than nothing"
	c := &doc.Connections[0]
	both := c.Subflows[0].A2B
	if k := doc.Clock; k.Offset != nil || k.Uncertainty != nil || both.OWD != nil || both.AckOWD != nil || c.A2B.EndToEnd != nil {
		t.Errorf("clock %+v, delays %v, %v and %v; want none", k, both.OWD, both.AckOWD, c.A2B.EndToEnd)
	}
	for name, of := range map[string]report.Reasons{"offset_ms": doc.Clock.Unavailable, "owd_ms": both.Unavailable, "end_to_end_delay_ms": c.A2B.Unavailable} {
		if got, _ := of.Of(name); got != why {
			t.Errorf("%s is null because %q, want %q", name, got, why)
		}
	}
	if both.Network == nil || both.Network.MatchedPackets != 100 || both.IPDV == nil {
		t.Errorf("%+v, want 100 matched packets, and how their delays vary", both.Network)
	}
	if !slices.ContainsFunc(doc.Warnings, func(w report.Warning) bool { return w.Code == "clocks_unknown" }) {
		t.Errorf("no warning: %v", doc.Warnings)
	}
	if len(c.Subflows) != 2 || c.Subflows[1].OnlyIn == nil || c.Subflows[0].StartS != 0 || c.Subflows[1].StartS != 0 {
		t.Errorf("%+v, want two subflows that begin at 0 s", c.Subflows)
	}
}
