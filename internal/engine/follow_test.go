package engine_test

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	reassembly "mpanalyze/internal/follow"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

const msec = time.Millisecond

// follow reassembles A's data from a view of the network.
func follow(t *testing.T, n *tracegen.Network, v tracegen.View) (string, error) {
	t.Helper()
	var file, out bytes.Buffer
	assert.NilError(t, n.Write(&file, v, tracegen.Format{Nanosecond: true}))
	_, err := engine.Follow(context.Background(), engine.Options{
		Paths: []string{"-"}, Stdin: &file, Direction: report.A2B,
	}, &out)
	return out.String(), err
}

// streamOf returns the n bytes that A's application wrote.
func streamOf(n int64) string { return string(tracegen.AppendStream(nil, tracegen.A2B, 0, int(n))) }

// onPath is the path of subflow i.
func onPath(i uint8) tracegen.Path {
	return tracegen.Path{
		A:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, i, 0, 1}), 40000+uint16(i)),
		B:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, i, 0, 2}), 5001),
		ISN: [2]seq.Wire{1000 * seq.Wire(i+1), 7000 * seq.Wire(i+1)}, Nonce: [2]uint32{uint32(i) + 1, uint32(i) + 2}, ID: [2]uint8{i, i},
	}
}

// failing is a session on one path. A middlebox changes the second mapping, data [1000,
// 3000) in two segments, and B answers with MP_FAIL. resume continues from there and
// returns when it ended.
func failing(version uint8, resume func(s *tracegen.Session, f *tracegen.Subflow, at time.Duration) time.Duration) *tracegen.Network {
	s := tracegen.NewSession(tracegen.Config{Version: version, Checksum: true, DSN4: version == 0, DataAck4: version == 0})
	f := s.Subflow(onPath(0))
	h := f.Open(0)
	at := h.Established()
	f.Data(tracegen.A2B, at, 0, 1000)
	second := f.Map(tracegen.A2B, 1000, 2000)
	second.Send(at+1*msec, 0, 1000).Spoil()
	second.Send(at+2*msec, 1000, 1000).Spoil()
	f.Data(tracegen.A2B, at+3*msec, 3000, 500)
	f.Signal(tracegen.B2A, at+14*msec, &mptcp.Fail{DSN: s.DSN(tracegen.A2B, 1000)})
	at += 30 * msec
	if version > 0 {
		f.Signal(tracegen.A2B, at, &mptcp.Fail{DSN: s.DSN(tracegen.B2A, 0)})
	}
	at = resume(s, f, at+1*msec)
	f.FIN(tracegen.A2B, at)
	f.FIN(tracegen.B2A, at+12*msec)
	f.Ack(tracegen.A2B, at+24*msec).Bare()
	return s.Network()
}

// ended is a DATA_ACK of B's of n bytes and a DATA_FIN.
func ended(s *tracegen.Session, n int64) func(p *tracegen.Packet) {
	return func(p *tracegen.Packet) {
		o := mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8, DataAck: s.DSN(tracegen.A2B, n+1)}
		p.Options = o.Append(tracegen.AppendTimestamps(nil, 1<<30+1e7, 0))
	}
}

// TestFollowAfterFail: if a receiver rejected data, follow writes the copy that it
// accepted. The changed bytes are 2000 - 1 and 3000 - 1 of the stream.
func TestFollowAfterFail(t *testing.T) {
	const size = 6000
	again := func(s *tracegen.Session, f *tracegen.Subflow, at time.Duration) time.Duration {
		// Data without a DATA_ACK is sent again on the subflow, as Linux 0.96 does.
		f.Map(tracegen.A2B, 1000, 1000).Infinite().Send(at, 0, 1000)
		for i := range int64(4) {
			f.Map(tracegen.A2B, 2000+1000*i, 1000).Bare().Send(at+time.Duration(i+1)*msec, 0, 1000)
		}
		return at + 5*msec
	}
	acked := func(how func(s *tracegen.Session, x *tracegen.Sent)) func(*tracegen.Session, *tracegen.Subflow, time.Duration) time.Duration {
		return func(s *tracegen.Session, f *tracegen.Subflow, at time.Duration) time.Duration {
			end := again(s, f, at)
			how(s, f.Ack(tracegen.B2A, end+20*msec))
			return end + 31*msec
		}
	}
	kept := func(_ *tracegen.Session, f *tracegen.Subflow, at time.Duration) time.Duration {
		// RFC 8684, Section 3.7: the infinite mapping acts retroactively, from the data
		// that was delivered intact. So the receiver accepts the data that it had rejected.
		f.Map(tracegen.A2B, 3500, 2500).Infinite().Send(at, 0, 2500).Edit(func(p *tracegen.Packet) {
			o := mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8, DSN: mptcp.IDSN(1, tracegen.DefaultKeyA) + 1001, SSN: 1001}
			p.Options = o.Append(tracegen.AppendTimestamps(nil, 1e7, 0))
		})
		f.Ack(tracegen.B2A, at+12*msec).Bare()
		return at + 25*msec
	}
	intact := streamOf(size)
	changed := []byte(intact)
	changed[1999] ^= 0xff
	changed[2999] ^= 0xff
	for _, c := range []struct {
		name    string
		version uint8
		resume  func(*tracegen.Session, *tracegen.Subflow, time.Duration) time.Duration
		atB     string
	}{
		{"sent again, nothing acknowledged", 1, again, intact},
		{"sent again, v0", 0, again, intact},
		{"sent again, acknowledged on the subflow", 1, acked(func(_ *tracegen.Session, x *tracegen.Sent) { x.Bare() }), intact},
		{"sent again, acknowledged with a DATA_FIN", 1, acked(func(s *tracegen.Session, x *tracegen.Sent) { x.Edit(ended(s, size)) }), intact},
		{"sent again, acknowledged with a DATA_FIN, v0", 0, acked(func(s *tracegen.Session, x *tracegen.Sent) { x.Edit(ended(s, size)) }), intact},
		{"taken after all", 1, kept, string(changed)},
	} {
		n := failing(c.version, c.resume)
		for v, want := range map[tracegen.View]string{tracegen.HostA: intact, tracegen.HostB: c.atB} {
			got, err := follow(t, n, v)
			if got != want || err != nil {
				t.Errorf("%s: view %d gives %d bytes, right up to byte %d, %v; want %d bytes", c.name, v, len(got), common(got, want), err, len(want))
			}
		}
	}
}

// common returns how many bytes a and b have in common at their beginning.
func common(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestFollowUnseenDataFIN: a DATA_FIN that only its acknowledgment shows is not missing
// payload; a byte of a subflow that was not captured is.
func TestFollowUnseenDataFIN(t *testing.T) {
	for _, c := range []struct {
		name  string
		fin   bool // the session ends with a DATA_FIN, otherwise with a last byte of data
		whole bool
	}{{"DATA_FIN", true, true}, {"byte", false, false}} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(onPath(0))
		h := f.Open(0)
		at := h.Established()
		f.Data(tracegen.A2B, at, 0, 1000)
		last := func() *tracegen.Sent {
			if c.fin {
				return f.DataFIN(tracegen.A2B, at+1*msec, 1000)
			}
			return f.Data(tracegen.A2B, at+1*msec, 1000, 1)
		}()
		f.Ack(tracegen.B2A, last.ArrivesAt())
		f.FIN(tracegen.A2B, at+30*msec)
		f.FIN(tracegen.B2A, at+45*msec)
		f.Ack(tracegen.A2B, at+60*msec)
		n := tracegen.NewNetwork(time.Time{})
		missed := 0
		for _, p := range s.Packets(tracegen.HostB) {
			if p.Time == tracegen.Start.UnixNano()+int64(last.ArrivesAt()) && p.Src == onPath(0).A {
				missed++
				continue
			}
			n.Show(tracegen.HostB, p)
		}
		got, err := follow(t, n, tracegen.HostB)
		var missing *reassembly.MissingError
		if missed != 1 || got != streamOf(1000) || c.whole != (err == nil) || !c.whole && !errors.As(err, &missing) {
			t.Errorf("%s not captured: %d bytes, %v (%d packets left out)", c.name, len(got), err, missed)
		}
	}
}
