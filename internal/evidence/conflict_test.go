package evidence

import (
	"math"
	"testing"

	"mpanalyze/internal/hosts"
)

// The packets of a socket had 1000, 2000 and 3000 bytes acknowledged and as many sent. Rows
// that were read at 2000 sent bytes: one that agrees, and those that do not.
func TestContradicts(t *testing.T) {
	const had = 1<<sentBytes | 1<<ackedBytes
	row := func(sent, segments, acked, received int64) kept {
		return kept{v: [numCounters]int64{sent, segments, acked, received}, srtt: 20, file: &hosts.File{}}
	}
	for _, c := range []struct {
		name  string
		row   kept
		equal uint8
		field checked
		want  bool
	}{
		{"equal", row(2000, 2, 2000, 0), had, ackedBytes, false},
		{"a value that no packet had", row(2000, 2, 1500, 0), 1 << sentBytes, ackedBytes, true},
		{"the byte of a FIN", row(2000, 2, 2001, 0), 1 << sentBytes, ackedBytes, false},
		{"after the capture", row(2000, 2, 4000, 0), 1 << sentBytes, ackedBytes, false},
		{"no time is known", row(1500, 2, 1500, 0), 0, ackedBytes, false},
		{"a queue dropped what was sent", row(2500, 2, 2000, 0), 1 << ackedBytes, sentBytes, false},
		{"the packets had more", row(1500, 2, 2000, 0), 1 << ackedBytes, sentBytes, true},
		{"not printed", row(-1, -1, 2000, 0), 1 << ackedBytes, sentBytes, false},
		{"a shorter round trip", row(2000, 2, 2000, 0), had, roundTrip, true},
	} {
		a := &aligned{socket: &socket{kept: []kept{c.row}, sending: sending{rows: leastRows}}, now: [numCounters]int64{3000, 3, 3000, 0}}
		a.spans = []span{{lo: 10, hi: 20, equal: c.equal, srtt: 30, packets: [numCounters]int64{2000, 2, 2000, 0}}}
		if kernel, packets, got := a.contradicts(0, c.field); got != c.want {
			t.Errorf("%s: %v (%g, %g), want %v", c.name, got, kernel, packets, c.want)
		}
		a.spans[0].lo = math.MinInt64
		if _, _, got := a.contradicts(0, c.field); got {
			t.Errorf("%s: a row without a time contradicts", c.name)
		}
	}
}

// A longer round trip of the kernel comes of a queue, and is none.
func TestLongerRoundTrip(t *testing.T) {
	a := &aligned{socket: &socket{kept: []kept{{srtt: 40}}, sending: sending{rows: leastRows}}, spans: []span{{lo: 10, hi: 20, srtt: 30}}}
	if _, _, got := a.contradicts(0, roundTrip); got {
		t.Error("a queue of the host explains it")
	}
}

// Verdicts rest on no rows whose counters contradict the packets.
func TestDoubtedRows(t *testing.T) {
	s := finderOf(sending{rows: 100, written: 100, atWindow: 95}, 0.9, 0, [2]float64{1, 1}, "cubic")
	if s.sender(1) == nil {
		t.Fatal("no cause with rows that agree")
	}
	for _, list := range s.joined {
		list[0].sides[1].disproved = 1 << ackedBytes
	}
	if f := s.sender(1); f != nil {
		t.Errorf("%+v", f)
	}
}

// The warning has the first row and the number of rows.
func TestConflictWarning(t *testing.T) {
	h := &host{Host: &hosts.Host{}}
	file := &hosts.File{Path: "ss.txt"}
	h.conflicts[ackedBytes].merge(conflict{2, "first", file})
	h.conflicts[ackedBytes].merge(conflict{3, "second", file})
	got := h.conflictWarnings()
	if len(got) != 1 || got[0].Code != WarnConflict || got[0].Count != 5 || *got[0].File != "ss.txt" || got[0].Message != "first; 5 such rows. No verdict uses bytes_acked of these sockets" {
		t.Errorf("%+v", got)
	}
}
