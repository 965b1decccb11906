package build

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// echo gives each connection a verdict, and another one that it waits.
type echo struct{ knockJudge }

func (echo) Connection(_ *metrics.Connection, c *report.Connection) {
	*c.Verdicts = append(*c.Verdicts, report.Verdict{Code: report.VerdictSinglePath})
}

func (echo) TCP(_ *metrics.Connection, t *report.TCP) {
	t.Verdicts = append(t.Verdicts, report.Verdict{Code: report.VerdictNotRequested})
}

func (echo) Waits(*metrics.Connection, *report.Connection) []report.Verdict {
	return []report.Verdict{{Code: report.VerdictHoLBlocked}}
}

// dialogue plays a short exchange at a time, of Multipath TCP or plain.
func dialogue(n *tracegen.Network, i int, plain bool) {
	s := n.Session(tracegen.Config{Version: 1, Plain: plain, Keys: [2]uint64{uint64(i) + 1, uint64(i) + 100}})
	f := s.Subflow(pathOf(i))
	f.Open(0)
	f.Ack(tracegen.B2A, f.Data(tracegen.A2B, 100*msec, 0, 1000).ArrivesAt())
}

// collect gives what host A saw of four connections to f, the latest first. 0 and 2 are of Multipath TCP.
func collect(t *testing.T, f func(m *metrics.Connection)) {
	t.Helper()
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	for i := range 4 {
		dialogue(s.Network(), i, i%2 == 1)
	}
	var all []*metrics.Connection
	conntest.Play(t, s, tracegen.HostA, metrics.NewCollector(metrics.Config{Interval: 100 * msec}, func(m *metrics.Connection) {
		c := *m
		all = append(all, &c)
	}))
	for _, m := range slices.Backward(all) {
		f(m)
	}
}

func codes(v []report.Verdict) (out []report.VerdictCode) {
	for i := range v {
		out = append(out, v[i].Code)
	}
	return out
}

// TestBuilder: connections are sorted by their first packets; those that were added without a judge have
// no verdicts; plain ones are numbered anew or left out.
func TestBuilder(t *testing.T) {
	b, none, stored := &Builder{Judge: echo{}}, &Builder{Judge: echo{}, Detail: report.NoTCP}, &Builder{Judge: echo{}, Into: report.NewStored(0)}
	defer stored.Into.Close()
	collect(t, func(m *metrics.Connection) {
		add := b.Add
		m.EventsOmitted = int64(10 + m.Conn.ID)
		if m.Conn.ID == 1 {
			add = b.AddUnjudged
		}
		for _, f := range []func(*metrics.Connection) error{add, none.Add, stored.Add} {
			assert.Check(t, f(m))
		}
	})
	conns, tcp := b.Lists()
	assert.Assert(t, len(conns) == 2 && conns[0].ID == 0 && conns[1].ID == 1 && conns[1].Subflows[0].A.Port == 40002, "%d connections: %+v", len(conns), conns)
	assert.Assert(t, len(tcp) == 2 && tcp[0].ID == 0 && tcp[1].ID == 1 && tcp[1].A.Port == 40003, "%d plain: %+v", len(tcp), tcp)
	assert.Check(t, conns[1].EventsOmitted == 11, "%d events omitted", conns[1].EventsOmitted)
	got := [][]report.VerdictCode{codes(*conns[0].Verdicts), codes(*conns[1].Verdicts), codes(tcp[1].Verdicts)}
	assert.Check(t, cmp.Equal(got, [][]report.VerdictCode{{report.VerdictSinglePath}, nil, {report.VerdictNotRequested}}), "verdicts %s", got)
	conns, tcp = none.Lists()
	assert.Check(t, len(conns) == 2 && len(tcp) == 0 && none.LeftOut == 2, "without plain TCP: %d and %d, %d left out", len(conns), len(tcp), none.LeftOut)
	stored.Into.Finish(&report.Document{})
	s := stored.Into
	assert.Check(t, s.NumConnections() == 2 && s.NumTCP() == 2 && len(s.Marked()) == 0, "stored %d and %d, %d marked", s.NumConnections(), s.NumTCP(), len(s.Marked()))
}

// TestBuilderOfTwo: of two captures, reports are kept for [Builder.Merge], and from the receiver's what
// waited; that takes verdicts.
func TestBuilderOfTwo(t *testing.T) {
	for _, c := range []struct {
		host  report.Host
		judge Judge
		waits int
	}{{report.ReceiverHost, echo{}, 1}, {report.SenderHost, echo{}, 0}, {report.ReceiverHost, nil, 0}} {
		b := &Builder{OnlyIn: &c.host, Judge: c.judge}
		collect(t, func(m *metrics.Connection) {
			assert.Check(t, b.Add(m))
		})
		for order, k := range b.kept {
			waits := 0
			if order%2 == 0 {
				waits = c.waits
			}
			assert.Check(t, (k.conn != nil) == (order%2 == 0) && (k.tcp != nil) != (k.conn != nil) && len(k.waits) == waits && k.fault == "", "%s: order %d: %+v", c.host, order, k)
		}
		assert.Check(t, len(b.kept) == 4 && !b.part, "%d are kept", len(b.kept))
	}
}

// TestVerdictsSoFar: verdicts on an open connection are those of its report, which is not added.
func TestVerdictsSoFar(t *testing.T) {
	b := &Builder{Judge: echo{}}
	var got []report.VerdictCode
	collect(t, func(m *metrics.Connection) { got = append(got, codes(b.Verdicts(m))...) })
	want := []report.VerdictCode{report.VerdictNotRequested, report.VerdictSinglePath, report.VerdictNotRequested, report.VerdictSinglePath}
	conns, tcp := b.Lists()
	assert.Check(t, slices.Equal(got, want) && len(conns)+len(tcp) == 0, "%s, %d and %d are added", got, len(conns), len(tcp))
}

// TestFastOpen: what a handshake shows of TCP Fast Open (RFC 7413): 100 bytes in the SYN, which the
// responder accepts or not.
func TestFastOpen(t *testing.T) {
	for name, c := range map[string]struct {
		play   func(f *tracegen.Subflow)
		missed []int
		want   *report.FastOpen
		why    string
	}{
		"a cookie": {func(f *tracegen.Subflow) {
			f.FastOpen(0, []byte{1, 2, 3, 0xfd}, 100)
			f.SYNACK(10 * msec)
			f.ThirdACK(20 * msec)
		}, nil, &report.FastOpen{Cookie: new("010203fd"), SYNBytes: 100, AcceptedBytes: new(int64(100))}, ""},
		"declined": {func(f *tracegen.Subflow) {
			f.FastOpen(0, []byte{1, 2, 3, 0xfd}, 100).Decline()
			f.SYNACK(10 * msec)
			f.ThirdACK(20 * msec)
		}, nil, &report.FastOpen{Cookie: new("010203fd"), SYNBytes: 100, AcceptedBytes: new(int64)}, ""},
		"asked for": {func(f *tracegen.Subflow) {
			f.FastOpen(0, nil, 0)
			f.SYNACK(10 * msec).GiveCookie([]byte{0xab, 7, 8, 9})
			f.ThirdACK(20 * msec)
		}, nil, &report.FastOpen{CookieRequest: true, CookieGiven: new("ab070809"), AcceptedBytes: nil}, ""},
		"none of it": {func(f *tracegen.Subflow) { f.Open(0) }, nil, nil, ""},
		"no SYN":     {func(f *tracegen.Subflow) { f.Open(0) }, []int{1}, nil, "the SYN is not in the capture"},
	} {
		s := tracegen.NewSession(tracegen.Config{Plain: true})
		c.play(s.Subflow(pathOf(0)))
		_, tcp := reports(t, &Builder{}, s, c.missed...)
		if c.want != nil && c.want.CookieRequest {
			c.want.AcceptedBytes = tcp[0].FastOpen.AcceptedBytes // of no bytes
		}
		why, _ := tcp[0].Unavailable.Of("fast_open")
		diff := cmp.Diff(c.want, tcp[0].FastOpen)
		assert.Check(t, diff == "" && why == c.why, "%s: because %q (-want +got):\n%s", name, why, diff)
	}
}

// TestGapsOf: packets that the capture lacks although their data was acknowledged. Data of the second subflow, or
// of a plain connection, leaves each 100 ms from 1100 ms on, and its ACK comes 20 ms later; 2 and 3 of 6 are missing.
func TestGapsOf(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s, f := oneSubflow(tracegen.Config{Version: 1, Plain: plain})
		f.Open(0)
		if !plain {
			f = s.Subflow(pathOf(1))
			f.Open(200 * msec)
		}
		for i := range 6 {
			f.Ack(tracegen.B2A, f.Data(tracegen.A2B, 1100*msec+100*msec*time.Duration(i), int64(1000*i), 1000).ArrivesAt())
		}
		n := len(s.Packets(tracegen.HostA)) - 12 // packets of handshakes
		conns, tcp := reports(t, &Builder{}, s, n+3, n+4, n+5, n+6)
		var got report.List[report.CaptureGap]
		var dir *report.SubDir
		sub := 0
		if plain {
			got, dir = tcp[0].CaptureGaps, tcp[0].A2B
		} else {
			got, sub, dir = conns[0].CaptureGaps, 1, conns[0].Subflows[1].A2B
		}
		want := report.List[report.CaptureGap]{{
			Before: report.GapEnd{Packet: int64(n + 1), TS: 1.1}, After: report.GapEnd{Packet: int64(n + 7), TS: 1.4}, DurationS: 0.3,
			Missing: []report.GapBytes{{Subflow: sub, Direction: report.A2B, Bytes: 2000}},
		}}
		diff := cmp.Diff(want, got, nearly)
		assert.Check(t, diff == "" && dir.NotCapturedBytes == 2000, "plain %v: %d bytes (-want +got):\n%s", plain, dir.NotCapturedBytes, diff)
	}
}

// TestGapsOmitted: of 66 gaps the report lists 64 and counts the others.
func TestGapsOmitted(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s, f := oneSubflow(tracegen.Config{Version: 1, Plain: plain})
		f.Open(0)
		var missed []int
		for i := range 2*66 + 1 {
			if i%2 == 1 {
				missed = append(missed, 4+2*i, 5+2*i) // data and its acknowledgment, behind 3 packets of the handshake
			}
			f.Ack(tracegen.B2A, f.Data(tracegen.A2B, 100*msec*time.Duration(i+1), int64(1000*i), 1000).ArrivesAt())
		}
		conns, tcp := reports(t, &Builder{}, s, missed...)
		listed, omitted := 0, int64(0)
		if plain {
			listed, omitted = len(tcp[0].CaptureGaps), tcp[0].CaptureGapsOmitted
		} else {
			listed, omitted = len(conns[0].CaptureGaps), conns[0].CaptureGapsOmitted
		}
		assert.Check(t, listed == 64 && omitted == 2, "plain %v: %d listed, %d omitted", plain, listed, omitted)
	}
}
