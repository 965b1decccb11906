package engine_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
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

// TestFollowProperty: whatever is lost, sent again, reinjected and rejected, the captures
// of both hosts give what the application wrote.
func TestFollowProperty(t *testing.T) {
	for seed := range uint64(60) {
		n, size := troubled(rand.New(rand.NewPCG(seed, 1)))
		for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
			got, err := follow(t, n, v)
			if want := streamOf(size); got != want || err != nil {
				t.Errorf("seed %d: view %d gives %d bytes, right up to byte %d, %v; want %d", seed, v, len(got), common(got, want), err, len(want))
			}
		}
	}
}

// troubled is a session of one to three subflows with losses, retransmissions and
// reinjections. On one subflow the last that goes wrong is a rejected mapping, with
// the fallback that follows; on several each rejected mapping ends in a
// reinjection. It returns how much A sends.
func troubled(r *rand.Rand) (*tracegen.Network, int64) {
	s := tracegen.NewSession(tracegen.Config{Version: uint8(r.IntN(2)), Checksum: true, DSN4: r.IntN(2) == 0, AckEvery: 2})
	paths := make([]*tracegen.Subflow, 1+r.IntN(3))
	at := time.Duration(0)
	for i := range paths {
		paths[i] = s.Subflow(onPath(uint8(i)))
		h := paths[i].Open(at)
		at = h.Established() + msec
	}
	size := int64(0)
	for range 40 {
		i := r.IntN(len(paths))
		f, n := paths[i], 2+r.IntN(2000)
		m := f.Map(tracegen.A2B, size, n)
		for from := 0; from < n; from += 1400 {
			x := m.Send(at, from, min(1400, n-from))
			if r.IntN(8) == 0 {
				x.Lose()
				x.Again(at + 60*msec)
			}
			at += msec
		}
		switch spoil := len(paths) > 1 && r.IntN(6) == 0; {
		case spoil:
			// A mapping of its own, rejected as a whole; then another subflow carries its
			// data.
			size += int64(n)
			n = 2 + r.IntN(1000)
			f.Map(tracegen.A2B, size, n).Send(at, 0, n).Spoil()
			fallthrough
		case len(paths) > 1 && r.IntN(4) == 0:
			paths[(i+1)%len(paths)].Data(tracegen.A2B, at+70*msec, size, n)
		}
		size += int64(n)
		at += time.Duration(r.IntN(5)) * msec
	}
	at += 200 * msec
	if f := paths[0]; len(paths) == 1 {
		at, size = fail(r, s, f, at, size)
	}
	s.Close(at, size, 0)
	return s.Network(), size
}

// fail rejects a mapping of the only subflow, sends all data from it on again under an
// infinite mapping, and then more data.
func fail(r *rand.Rand, s *tracegen.Session, f *tracegen.Subflow, at time.Duration, size int64) (time.Duration, int64) {
	from := size
	for i := range 1 + r.IntN(4) {
		n := 2 + r.IntN(1400)
		x := f.Data(tracegen.A2B, at, size, n)
		if i == 0 || r.IntN(2) == 0 {
			x.Spoil()
		}
		size += int64(n)
		at += msec
	}
	f.Signal(tracegen.B2A, at+15*msec, &mptcp.Fail{DSN: s.DSN(tracegen.A2B, from)})
	at += 40 * msec
	size += int64(r.IntN(5000))
	for first := true; from < size; first = false {
		n := int(min(size-from, int64(1+r.IntN(1400))))
		m := f.Map(tracegen.A2B, from, n).Bare()
		if first {
			m.Infinite()
		}
		x := m.Send(at, 0, n)
		if r.IntN(6) == 0 {
			x.Lose()
			x.Again(at + 60*msec)
		}
		from += int64(n)
		at += msec
	}
	return at + 200*msec, size
}
