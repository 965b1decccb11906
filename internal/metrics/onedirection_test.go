package metrics

import (
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestFiguresOfOneDirection: a sends 100 segments of 1000 bytes over each of two paths. Without the
// packets of b, on both paths or on one, counts of what a sent stay as they are. What needs
// acknowledgments is absent, with that reason: round trips on the subflow that lacks them, delays of
// data on all, because they depend on DATA_ACKs. Without the packets of a on the second path, the
// data of the connection is not known.
func TestFiguresOfOneDirection(t *testing.T) {
	const onlyA, ofOne = "only the packets of a are in the capture", "of a subflow "
	for name, c := range map[string]struct {
		lacks            func(src, dst string, slow tracegen.Path) bool
		rtts             [2]string // why each subflow has no round trip; empty where it has one
		data, acks, mine string    // why data, delays, and the windows that b offers are absent
	}{
		"both directions": {func(string, string, tracegen.Path) bool { return false }, [2]string{}, "", "", ""},
		"a alone": {func(src, _ string, slow tracegen.Path) bool {
			return src == slow.B.String()
		}, [2]string{onlyA, onlyA}, "", onlyA, onlyA},
		"a alone on the second path": {func(src, dst string, slow tracegen.Path) bool {
			return src == slow.B.String() && dst == slow.A.String()
		}, [2]string{"", onlyA}, "", ofOne + onlyA, ofOne + onlyA},
		"b alone on the second path": {func(src, _ string, slow tracegen.Path) bool {
			return src == slow.A.String()
		}, [2]string{"", "-"}, ofOne + "only the packets of b are in the capture", "-", ""},
	} {
		s, fast, slow := twoPaths(tracegen.Config{Version: 1, AckEvery: 1})
		for i := range int64(100) {
			at := 500*msec + 10*msec*time.Duration(i)
			fast.Data(tracegen.A2B, at, 2000*i, 1000)
			slow.Data(tracegen.A2B, at+5*msec, 2000*i+1000, 1000)
		}
		var missed []int
		for i, p := range s.Packets(tracegen.HostA) {
			if c.lacks(p.Src.String(), p.Dst.String(), slow.Path()) {
				missed = append(missed, i+1)
			}
		}
		m := measureWithout(t, s, missed...)
		f := fields()
		for i, sub := range m.Subs {
			var d report.SubDir
			m.ReportSubflow(sub, conn.A, f, &d)
			if sub.Lacks(conn.A) != "" {
				continue // its report is null
			}
			if d.Segments != 100 || report.Known(d.Bytes) != 100_000 || d.RetransmittedSegments != 0 {
				t.Errorf("%s, subflow %d: %d segments, %d bytes, %d again", name, i, d.Segments, report.Known(d.Bytes), d.RetransmittedSegments)
			}
			why, _ := d.Unavailable.Of("rtt_ms")
			if why != c.rtts[i] || (d.RTT == nil) != (why != "") || d.SRTT != nil && why != "" || d.InFlightBytes != nil && why != "" || d.Drops != nil && why != "" {
				t.Errorf("%s, subflow %d: no round trip because %q, want %q", name, i, why, c.rtts[i])
			}
		}
		if why := m.LacksData(conn.A); why != c.data {
			t.Errorf("%s: data is not known because %q, want %q", name, why, c.data)
		}
		d := ofConnection(m, conn.A)
		if why, _ := d.Unavailable.Of("protocol_delay_ms"); c.acks != "-" && why != c.acks || (d.ProtocolDelay == nil) != (why != "") {
			t.Errorf("%s: no protocol delay because %q, want %q", name, why, c.acks)
		}
		if why, _ := d.Unavailable.Of("rwnd_bytes"); c.mine != "" && (why != c.mine || d.RwndBytes != nil) {
			t.Errorf("%s: no window because %q, want %q", name, why, c.mine)
		}
	}
}

// measureWithout is measure at A without the packets with these numbers, and without series.
func measureWithout(t *testing.T, s *tracegen.Session, missed ...int) (m *Connection) {
	t.Helper()
	conntest.Play(t, s, tracegen.HostA, NewCollector(Config{Interval: 100 * time.Millisecond}, func(x *Connection) { m = x }), missed...)
	if m == nil {
		t.Fatal("no connection")
	}
	return m
}
