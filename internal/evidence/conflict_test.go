package evidence

import (
	"math"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// The packets of a socket had 1000, 2000 and 3000 bytes acknowledged and as many sent. Rows
// that were read at 2000 sent bytes: one that agrees, and those that do not. A round trip of the kernel
// contradicts the packets if it is shorter by more than 0.1 ms and 2 %. A longer one comes of a queue.
func TestContradicts(t *testing.T) {
	const had = 1<<sentBytes | 1<<ackedBytes
	row := func(sent, segments, acked, received int64) kept {
		return kept{v: [numCounters]int64{sent, segments, acked, received}, srtt: 20, sample: sample{at: hosts.Ref{File: &hosts.File{}}}}
	}
	trip := func(srtt float32) kept { return kept{srtt: srtt} }
	for _, c := range []struct {
		name  string
		row   kept
		equal uint8
		field checked
		want  bool
		srtt  float32 // of the packets, ms
		fewer int64   // rows than are needed
	}{
		{"equal", row(2000, 2, 2000, 0), had, ackedBytes, false, 30, 0},
		{"a value that no packet had", row(2000, 2, 1500, 0), 1 << sentBytes, ackedBytes, true, 30, 0},
		{"the byte of a FIN", row(2000, 2, 2001, 0), 1 << sentBytes, ackedBytes, false, 30, 0},
		{"after the capture", row(2000, 2, 4000, 0), 1 << sentBytes, ackedBytes, false, 30, 0},
		{"no time is known", row(1500, 2, 1500, 0), 0, ackedBytes, false, 30, 0},
		{"a queue dropped what was sent", row(2500, 2, 2000, 0), 1 << ackedBytes, sentBytes, false, 30, 0},
		{"the packets had more", row(1500, 2, 2000, 0), 1 << ackedBytes, sentBytes, true, 30, 0},
		{"not printed", row(-1, -1, 2000, 0), 1 << ackedBytes, sentBytes, false, 30, 0},
		{"a shorter round trip", row(2000, 2, 2000, 0), had, roundTrip, true, 30, 0},
		{"a round trip shorter by more than 2 %", trip(97.9), had, roundTrip, true, 100, 0},
		{"by less", trip(98.1), had, roundTrip, false, 100, 0},
		{"a round trip shorter by more than 0.1 ms", trip(1.85), had, roundTrip, true, 2, 0},
		{"by less than that", trip(1.95), had, roundTrip, false, 2, 0},
		{"a longer round trip", trip(40), had, roundTrip, false, 30, 0},
		{"no round trip", trip(0), had, roundTrip, false, 30, 0},
		{"a row less", trip(97.9), had, roundTrip, false, 100, 1},
	} {
		a := &aligned{socket: &socket{kept: []kept{c.row}, figures: figures{"sent": {n: leastRows - c.fewer}}}, now: [numCounters]int64{3000, 3, 3000, 0}}
		a.spans = []span{{lo: 10, hi: 20, equal: c.equal, srtt: c.srtt, packets: [numCounters]int64{2000, 2, 2000, 0}}}
		if kernel, packets, got := a.contradicts(0, c.field); got != c.want {
			t.Errorf("%s: %v (%g, %g), want %v", c.name, got, kernel, packets, c.want)
		}
		a.spans[0].lo = math.MinInt64
		if _, _, got := a.contradicts(0, c.field); got {
			t.Errorf("%s: a row without a time contradicts", c.name)
		}
	}
}

// Two rows that contradict the packets of the same host make a field doubtful, and of round trips half of
// the rows.
func TestConflicts(t *testing.T) {
	const acked, rtt = uint8(1 << ackedBytes), uint8(1 << roundTrip)
	for _, c := range []struct {
		name          string
		rows, bad     int
		here, whole   bool
		byAcks, byRTT uint8
	}{
		{"one row", 5, 1, true, true, 0, 0},
		{"two rows", 5, 2, true, true, acked, 0},
		{"half of the rows", 4, 2, true, true, acked, rtt},
		{"another host", 4, 2, false, true, 0, 0},
		{"no SYN", 4, 2, true, false, 0, 0},
	} {
		for field, want := range map[checked]uint8{ackedBytes: c.byAcks, roundTrip: c.byRTT} {
			h := &host{Host: &hosts.Host{}}
			a := &aligned{here: c.here, whole: c.whole, now: [numCounters]int64{9000, 9, 9000, 0}, socket: &socket{of: h, figures: figures{"sent": {n: leastRows}}}}
			for i := range c.rows {
				row := kept{v: [numCounters]int64{2000, 2, 2000, 0}, srtt: 30, sample: sample{at: hosts.Ref{File: &hosts.File{}}}}
				s := span{lo: 10, hi: 20, equal: 1<<sentBytes | 1<<ackedBytes, srtt: 30, packets: row.v}
				if i < c.bad {
					switch field {
					case ackedBytes:
						row.v[ackedBytes], s.equal = 1500, 1<<sentBytes
					default:
						row.srtt = 20
					}
				}
				a.socket.kept, a.spans = append(a.socket.kept, row), append(a.spans, s)
			}
			w := &watch{c: &conn.Conn{}}
			w.conflicts(a, &conn.Subflow{})
			if a.disproved != want || (h.conflicts[field].Count == int64(c.bad)) != (want != 0) {
				t.Errorf("%s, %s: %b of %+v, want %b", c.name, fieldNames[field], a.disproved, h.conflicts[field], want)
			}
		}
	}
}

// Verdicts rest on no rows whose counters contradict the packets.
func TestDoubtedRows(t *testing.T) {
	s := finderOf(numbers{"sent": 100, "waiting": 100, "at window": 95}, 0.9, 0, [2]float64{1, 1}, "cubic")
	if s.limiting(report.VerdictSenderLimited, report.B2A) == nil {
		t.Fatal("no cause with rows that agree")
	}
	for _, list := range s.joined {
		list[0].sides[1].disproved = 1 << ackedBytes
	}
	if f := s.limiting(report.VerdictSenderLimited, report.B2A); f != nil {
		t.Errorf("%+v", f)
	}
}

// The warning has the first row and the number of rows, of all sockets.
func TestConflictWarning(t *testing.T) {
	h := &host{Host: &hosts.Host{}}
	for i := range 2 {
		a := &aligned{here: true, whole: true, now: [numCounters]int64{9000, 9, 9000, 0}, socket: &socket{of: h, figures: figures{}}}
		for range 2 + i {
			row := kept{v: [numCounters]int64{2000, 2, 1500, 0}, sample: sample{at: hosts.Ref{File: &hosts.File{Path: []string{"ss.txt", "more.txt"}[i]}, Line: 7}}}
			a.socket.kept = append(a.socket.kept, row)
			a.spans = append(a.spans, span{lo: 10, hi: 20, equal: 1 << sentBytes, packets: [numCounters]int64{2000, 2, 2000, 0}})
		}
		(&watch{c: &conn.Conn{}}).conflicts(a, &conn.Subflow{})
	}
	got := h.warnings()
	want := "ss.txt, line 7: bytes_acked of the subflow [::]:0-[::]:0 is 1500, and that of the packets 2000; 5 such rows. No verdict uses bytes_acked of these sockets"
	if len(got) != 1 || got[0].Code != WarnConflict || got[0].Count != 5 || *got[0].File != "ss.txt" || got[0].Message != want {
		t.Errorf("%+v", got)
	}
}
