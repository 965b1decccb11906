package engine_test

import (
	"net/netip"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestOneDirection takes from captures of real sessions the packets of one host alone, as a one-way
// tap does. The report says so. What it has of these packets equals that of the whole capture, of
// the other host it has nothing, and it claims nothing that the whole capture does not show.
func TestOneDirection(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, name := range testrun.Few(clients(t)) {
		whole := reportOn(t, name)
		for _, seen := range report.Directions {
			if n := len(whole.Connections); n == 0 || n > 4 {
				continue // plain TCP, and many connections with joins that only the other direction tells
			}
			part := reportOn(t, oneWay(t, name, sendersOf(whole, seen)))
			if !slices.ContainsFunc(part.Warnings, func(w report.Warning) bool { return w.Code == "one_direction_captured" }) {
				t.Errorf("%s, %s alone: no warning", name, seen)
			}
			for i := range part.Connections {
				if c := &part.Connections[i]; i < len(whole.Connections) && len(c.Subflows) == len(whole.Connections[i].Subflows) {
					compared++
					sameDirection(t, name, seen, c, &whole.Connections[i])
				}
			}
		}
	}
	assert.Check(t, compared >= 4 || testing.Short(), "only %d connections compared", compared)
}

// sameDirection compares a report on one direction with that on both.
func sameDirection(t *testing.T, name string, seen report.Direction, c, whole *report.Connection) {
	t.Helper()
	other := report.Directions[1]
	if seen == other {
		other = report.Directions[0]
	}
	const code = report.VerdictOneDirection
	list := report.Known(c.Verdicts)
	assert.Check(t, len(list) != 0 && list[0].Code == code && list[0].Severity == report.Major, "%s, %s: verdicts %v, want %s first", name, seen, list, code)
	for _, v := range list {
		if v.Code != code && !slices.ContainsFunc(report.Known(whole.Verdicts), func(w report.Verdict) bool { return w.Code == v.Code }) {
			t.Errorf("%s, %s: %s: %s; both directions do not show that", name, seen, v.Code, v.Text)
		}
	}
	if why, _ := c.Unavailable.Of(string(other)); c.Dir(other) != nil || why == "" || c.State != report.ConnUnknown {
		t.Errorf("%s, %s: a direction without packets is there (%q), state %s", name, seen, why, c.State)
	}
	if c.Dir(seen).ProtocolDelay != nil || c.Dir(seen).TimeAccount != nil || c.Dir(seen).Handovers != nil {
		t.Errorf("%s, %s: figures that need acknowledgments", name, seen)
	}
	if whole.Fallback == nil {
		assert.Check(t, is.DeepEqual(c.Dir(seen).Bytes, whole.Dir(seen).Bytes), "%s, %s: bytes", name, seen)
	}
	for i := range c.Subflows {
		x, y := c.Subflows[i].Dir(seen), whole.Subflows[i].Dir(seen)
		if x == nil { // it sent nothing but the whole may be known otherwise
			continue
		}
		if c.Subflows[i].Dir(other) != nil && y.Segments+y.PureAcks > 0 {
			t.Errorf("%s, %s: subflow %d has a direction without packets", name, seen, i)
		}
		counts := func(d *report.SubDir) []int64 {
			return []int64{
				d.Segments, d.CapturedSegments, report.Known(d.Bytes), report.Known(d.BytesUnique), d.RetransmittedSegments, d.RetransmittedBytes,
				d.OutOfOrderSegments, d.PureAcks, report.Known(d.SACKBlocks), report.Known(d.DSACKBlocks), d.Resets, d.Fins, d.ZeroWindowEvents,
			}
		}
		assert.Check(t, is.DeepEqual(counts(x), counts(y)), "%s, %s: counts of subflow %d", name, seen, i)
		if x.RTT != nil || x.SRTT != nil || x.InFlightBytes != nil || x.DupAcks != nil {
			t.Errorf("%s, %s: subflow %d has figures that need acknowledgments", name, seen, i)
		}
	}
}

// sendersOf returns the ends of all subflows and plain connections that send in a direction.
func sendersOf(doc *report.Document, d report.Direction) map[netip.AddrPort]bool {
	out := map[netip.AddrPort]bool{}
	put := func(e *report.Endpoint) { out[netip.AddrPortFrom(netip.MustParseAddr(e.Addr), uint16(e.Port))] = true }
	for i := range doc.Connections {
		for k := range doc.Connections[i].Subflows {
			s := &doc.Connections[i].Subflows[k]
			put(report.Either(d, &s.A, &s.B))
		}
	}
	for i := range doc.TCP {
		put(report.Either(d, &doc.TCP[i].A, &doc.TCP[i].B))
	}
	return out
}

// oneWay copies the packets of these sources into a capture.
func oneWay(t *testing.T, name string, from map[netip.AddrPort]bool) string {
	t.Helper()
	f := framesOf(t, name)
	segments := f.segments()
	return f.only(func(i int) bool { return from[segments[i].Src.AddrPort()] }).saved(t)
}
