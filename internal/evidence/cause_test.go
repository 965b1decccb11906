package evidence

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// limiting returns what a side that sends, or receives, says of what limits a direction; nil for nothing.
func (s *causeFinder) limiting(code report.VerdictCode, d report.Direction) *finding {
	return s.ask(&report.Verdict{Code: code, Direction: &d}).find()
}

// numbers are how many rows of a TCP socket there are, by name; "least" and "most" are its congestion windows.
type numbers map[string]int64

// finderOf is a connection with one subflow of which b has sockets.
func finderOf(rows numbers, send, receive float64, limits [2]float64, control string) *causeFinder {
	h := &host{Host: &hosts.Host{End: report.SideB}}
	h.sides[1] = 2
	at := func(line int) sample {
		return sample{at: hosts.Ref{File: &hosts.File{Path: "ss.txt"}, Line: line}}
	}
	tcp := &socket{of: h, figures: figures{}, controls: []string{control}}
	for name, n := range rows {
		tcp.figures[name] = &figure{n: n}
	}
	tcp.figures["sent"] = &figure{n: rows["sent"], least: float64(rows["least"]), most: float64(rows["most"]), cited: at(7)}
	m := &socket{of: h, mptcp: true, figures: figures{"full": {n: 12, least: 100000, cited: at(11)}}}
	for name, v := range map[string]float64{"send": send, "receive": receive} {
		m.figures[name], m.figures[name+" limit"] = &figure{n: 20, cited: at(9)}, &figure{least: limits[0], most: limits[1]}
		m.figures[name].values.AddRepeated(v, 20)
	}
	of := &joinedConn{mptcp: [2]*socket{nil, m}}
	a, b := netip.MustParseAddrPort("10.2.1.1:40000"), netip.MustParseAddrPort("10.2.100.2:5001")
	j := &joinedTCP{sides: [2]*aligned{nil, {socket: tcp}}, of: of}
	x := &Records{hosts: []*host{h}, conns: 1, joined: map[pair][]*joinedTCP{{a, b}: {j}}}
	c := &report.Connection{Subflows: []report.Subflow{{A: report.Endpoint{Addr: "10.2.1.1", Port: 40000}, B: report.Endpoint{Addr: "10.2.100.2", Port: 5001}}}}
	c.B2A = &report.ConnDir{HoLQueueBytes: &report.Stat{}}
	c.A2B = &report.ConnDir{HoLQueueBytes: &report.Stat{}}
	return &causeFinder{Records: x, hosts: [2]*host{nil, h}, conn: c, of: of, verdicts: &report.List[report.Verdict]{}}
}

// The medians that sessions with known causes have name their cause; what lies between them
// names none. Parts are of 100 rows.
func TestSenderCauses(t *testing.T) {
	constant, growing := [2]float64{10000, 10000}, [2]float64{46080, 400000}
	varied, same := [2]int64{10, 80}, [2]int64{20, 20}
	for _, c := range []struct {
		name            string
		rows, zero, cut int64 // rows, rows with nothing not sent, rows at the window
		paced           int64
		lost            int64
		cwnd            [2]int64
		use             float64
		limits          [2]float64
		control         string
		want            report.CauseCode
	}{
		{"application", 100, 100, 0, 0, 0, same, 0.2, growing, "cubic", report.CauseApplication},
		{"send buffer", 100, 92, 0, 0, 0, same, 3.5, constant, "cubic", report.CauseSendBuffer},
		{"a buffer that grows", 100, 92, 0, 0, 0, same, 3.5, growing, "cubic", ""},
		{"the receiver's application", 100, 90, 2, 0, 0, varied, 0.85, growing, "cubic", ""},
		{"the receiver's buffer", 100, 100, 0, 0, 0, varied, 0.93, growing, "cubic", ""},
		{"congestion window", 100, 6, 93, 0, 1, varied, 0.85, growing, "cubic", report.CauseCwnd},
		{"a window that never changes, and loss", 100, 6, 93, 0, 1, same, 0.85, growing, "cubic", report.CauseCwnd},
		{"a limit on the window", 100, 6, 93, 0, 0, same, 0.85, growing, "cubic", report.CauseCwndClamp},
		{"pacing", 100, 5, 15, 80, 0, varied, 0.82, growing, "bbr", report.CausePacing},
		{"the same far below the rate", 100, 5, 15, 20, 0, varied, 0.82, growing, "bbr", ""},
		{"a queue of the sender", 100, 12, 38, 0, 0, varied, 0.9, growing, "cubic", ""},
		{"few rows", 7, 7, 0, 0, 0, same, 0.2, growing, "cubic", ""},
		{"rows enough", 8, 8, 0, 0, 0, same, 0.2, growing, "cubic", report.CauseApplication},
		// Each bound, just at it and just beside it.
		{"data waits in 70 %, the window is used up in 80 %", 100, 30, 80, 0, 0, varied, 0.85, growing, "cubic", report.CauseCwnd},
		{"data waits in 69 %", 100, 31, 80, 0, 0, varied, 0.85, growing, "cubic", ""},
		{"the window is used up in 79 %", 100, 30, 79, 0, 0, varied, 0.85, growing, "cubic", ""},
		{"data waits in 70 %, below the window in 70 %, paced in 50 %", 100, 30, 30, 50, 0, varied, 0.85, growing, "bbr", report.CausePacing},
		{"no pacing by cubic", 100, 30, 30, 50, 0, varied, 0.85, growing, "cubic", ""},
		{"data waits in 69 %, paced", 100, 31, 30, 50, 0, varied, 0.85, growing, "bbr", ""},
		{"below the window in 69 %", 100, 30, 31, 50, 0, varied, 0.85, growing, "bbr", ""},
		{"paced in 49 %", 100, 30, 30, 49, 0, varied, 0.85, growing, "bbr", ""},
		{"nothing waits in 80 %, at the window in 5 %, 40 % of the buffer", 100, 80, 5, 0, 0, varied, 0.4, growing, "cubic", report.CauseApplication},
		{"nothing waits in 79 %", 100, 79, 5, 0, 0, varied, 0.4, growing, "cubic", ""},
		{"at the window in 6 %", 100, 80, 6, 0, 0, varied, 0.4, growing, "cubic", ""},
		{"41 % of the buffer", 100, 80, 5, 0, 0, varied, 0.41, growing, "cubic", ""},
		{"150 % of a buffer that grows by a tenth", 100, 80, 5, 0, 0, varied, 1.5, [2]float64{10000, 11000}, "cubic", report.CauseSendBuffer},
		{"149 % of it", 100, 80, 5, 0, 0, varied, 1.49, [2]float64{10000, 11000}, "cubic", ""},
		{"a buffer that grows by more", 100, 80, 5, 0, 0, varied, 1.5, [2]float64{10000, 11001}, "cubic", ""},
	} {
		s := finderOf(numbers{"sent": c.rows, "waiting": c.rows - c.zero, "at window": c.cut, "paced": c.paced, "lost": c.lost, "least": c.cwnd[0], "most": c.cwnd[1]}, c.use, 0, c.limits, c.control)
		f := s.limiting(report.VerdictSenderLimited, report.B2A)
		if f == nil && c.want == "" {
			continue
		}
		if f == nil || f.Code != c.want || f.host != 1 || len(f.lines) == 0 || f.lines[0].File != "ss.txt" || f.lines[0].Host != report.SideB {
			t.Errorf("%s: %+v, want %q", c.name, f, c.want)
		}
	}
}

// Unread data in order names the application that reads; a small buffer that is empty names
// the buffer. Data out of order counts as unread, and then names nothing.
func TestReceiverCauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		unread float64
		limits [2]float64
		queue  float64 // bytes out of order
		want   report.CauseCode
	}{
		{"reads slowly", 0.9, [2]float64{131072, 131072}, 0, report.CauseApplication},
		{"out of order", 0.9, [2]float64{131072, 131072}, 90000, ""},
		{"small buffer", 0, [2]float64{12000, 12000}, 0, report.CauseReceiveBuffer},
		{"a buffer that grows", 0, [2]float64{131072, 900000}, 0, ""},
		{"half of it unread, a quarter of that out of order", 0.5, [2]float64{131072, 131072}, 25000, report.CauseApplication},
		{"more out of order", 0.5, [2]float64{131072, 131072}, 25001, ""},
		{"less than half", 0.49, [2]float64{131072, 131072}, 0, ""},
		{"a tenth unread, of a buffer that grows by a tenth", 0.1, [2]float64{10000, 11000}, 0, report.CauseReceiveBuffer},
		{"more than a tenth", 0.11, [2]float64{10000, 11000}, 0, ""},
		{"a buffer that grows by more", 0.1, [2]float64{10000, 11001}, 0, ""},
	} {
		s := finderOf(numbers{}, 0, c.unread, c.limits, "")
		s.conn.A2B.HoLQueueBytes.Avg = c.queue
		f := s.limiting(report.VerdictWindowClosed, report.A2B)
		if f == nil && c.want == "" {
			continue
		}
		if f == nil || f.Code != c.want || f.host != 1 || len(f.lines) != 1 {
			t.Errorf("%s: %+v, want %q", c.name, f, c.want)
		}
	}
}

// Without the records of the host there is no cause.
func TestNoRecordNoCause(t *testing.T) {
	s := finderOf(numbers{"sent": 100, "waiting": 100, "at window": 100}, 0.2, 0.9, [2]float64{1, 1}, "cubic")
	for code, d := range map[report.VerdictCode]report.Direction{report.VerdictSenderLimited: report.A2B, report.VerdictWindowClosed: report.B2A, report.VerdictHeavyLoss: report.B2A} {
		f := s.ask(&report.Verdict{Code: code, Direction: &d, Subflow: new(0)}).find()
		assert.Check(t, f == nil, "%s: %+v", code, f)
	}
}

// device is a device with these addresses.
func device(name string, addresses ...string) *hosts.Record {
	r := &hosts.Record{Thing: hosts.Thing{Kind: hosts.Addr, Name: name}}
	for _, a := range addresses {
		r.Addresses = append(r.Addresses, netip.MustParseAddr(a))
	}
	return r
}

// The device to a peer is the one with the host's address, else that of the most specific route.
func TestDeviceTo(t *testing.T) {
	route := func(to, dev string) *hosts.Record { return &hosts.Record{Thing: hosts.Thing{Name: to}, Text: dev} }
	h := &host{Host: &hosts.Host{
		Records: map[hosts.Kind][]*hosts.Record{hosts.Addr: {device("lo", "10.2.100.2"), device("p1", "10.2.1.2"), device("p2"), device("p3")}, hosts.Route: {route("default", "p3"), route("10.2.0.0/16", "p1"), route("10.2.2.0/24", "p2")}},
	}}
	for _, c := range []struct{ local, peer, want string }{
		{"10.2.1.2", "10.2.2.1", "p1"}, {"10.2.100.2", "10.2.2.1", "p2"}, {"10.2.100.2", "10.2.7.1", "p1"}, {"10.2.100.2", "192.0.2.1", "p3"},
	} {
		dev := h.deviceTo(netip.MustParseAddr(c.local), netip.MustParseAddr(c.peer))
		assert.Check(t, dev == c.want, "from %s to %s: %s, want %s", c.local, c.peer, dev, c.want)
	}
}

// A socket whose counters shrink is another one with the same ends, and so is one with another
// inode.
func TestFresh(t *testing.T) {
	s := &socket{info: 1, inode: 5, values: rowOf(t, 0, "bytes_sent:100 bytes_acked:90 bytes_received:10").Values}
	for _, c := range []struct {
		name string
		row  string
		want bool
	}{
		{"the next row", "ino:5 cwnd:10 rto:200 bytes_sent:100 bytes_acked:95 bytes_received:10", false},
		{"after the close", "ino:0 cwnd:10 rto:200 bytes_sent:100 bytes_acked:95 bytes_received:10", false},
		{"smaller counters", "ino:5 cwnd:10 rto:200 bytes_sent:10 bytes_acked:9 bytes_received:10", true},
		{"another inode", "ino:6 cwnd:10 rto:200 bytes_sent:100 bytes_acked:95 bytes_received:10", true},
	} {
		if got := s.fresh(rowOf(t, 0, c.row)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// set makes a figure of one row.
func (x figures) set(name string, v float64) {
	x[name] = &figure{n: 1, least: v, most: v}
	x[name].values.Add(v)
}

// evaluate returns the value of an expression, whose names a function knows.
func evaluate(text string, look func(name string) float64) float64 {
	return compile(text, func(name string) func(int) float64 { return func(int) float64 { return look(name) } })(0)
}

// rowOf returns a row of ss with these details.
func rowOf(t *testing.T, queue int64, details string) *hosts.Row {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ss")
	assert.NilError(t, os.WriteFile(name, fmt.Appendf(nil, "ESTAB %d 0 10.2.100.2:5001 10.2.1.1:40000 %s\n", queue, details), 0o600))
	var row hosts.Row
	_, err := hosts.Read([]hosts.Source{{Path: name}}, nil, func(*hosts.Host) func(*hosts.Row) { return func(r *hosts.Row) { row = *r } })
	assert.NilError(t, err)
	return &row
}

// TestNamed: a verdict gets the cause, the line that proves it, and loses what remained possible without records.
func TestNamed(t *testing.T) {
	v := report.Verdict{Alternatives: []report.Cause{{Code: report.CauseQueue}}}
	f := &finding{&cause{Code: report.CausePlainSocket}, 1, "p1", "the socket is plain", []report.KernelLine{{File: "n", Line: 3}}}
	(&causeFinder{conn: &report.Connection{}}).name(f, &v)
	p := v.Parameters
	if len(p) != 4 || p[0].Text != "the socket is plain" || p[1] != word("device", "p1") || p[2].Text != "n" || *p[3].Value != 3 || len(v.Alternatives) != 0 || *v.Cause.Host != report.SideB {
		t.Errorf("%+v", v)
	}
}
