package diagnose_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// seeOnly is see, limited to the packets for which keep returns true.
func seeOnly(t *testing.T, s *tracegen.Session, v tracegen.View, keep func(i int, p *tracegen.Packet) bool) *report.Document {
	t.Helper()
	var file bytes.Buffer
	w, err := tracegen.NewWriter(&file, tracegen.Format{Nanosecond: true})
	assert.NilError(t, err)
	for i, p := range s.Packets(v) {
		if keep(i, &p) {
			err = errors.Join(err, w.Write(&p))
		}
	}
	assert.NilError(t, errors.Join(err, w.Flush()))
	return read(t, &file)
}

// TestUncaptured sends 100 segments of 1000 bytes on each of three subflows, in turns. A capture
// of the first path, or of two, shows that data passed elsewhere. So no verdict says that there
// was no further subflow. A capture that misses some packets of every path does not have this
// verdict, because the streams of its subflows have gaps. The last data on the missing paths is
// covered by no DATA_ACK in the capture.
func TestUncaptured(t *testing.T) {
	for name, c := range map[string]struct {
		keep   func(i int, p *tracegen.Packet) bool
		unseen float64 // segments; 0 = no verdict
		known  float64 // segments
	}{
		"one path":  {func(_ int, p *tracegen.Packet) bool { return on(p, 0) }, 2 * 99, 100},
		"two paths": {func(_ int, p *tracegen.Packet) bool { return on(p, 0) || on(p, 1) }, 99, 200},
		"all":       {func(int, *tracegen.Packet) bool { return true }, 0, 0},
		"gaps":      {func(i int, p *tracegen.Packet) bool { return i%7 > 0 || p.WirePayload() == 0 }, 0, 0},
	} {
		for _, view := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
			s, first := begin()
			subs := []*tracegen.Subflow{first, s.Subflow(path(1, 10*ms)), s.Subflow(path(2, 10*ms))}
			subs[1].Open(50 * ms)
			subs[2].Open(60 * ms)
			for i := range 300 {
				steady(subs[i%3], 500*ms+time.Duration(i)*10*ms, int64(i)*1000, 1)
			}
			d := seeOnly(t, s, view, c.keep)
			without(t, name, d, report.VerdictSinglePath)
			if c.unseen > 0 {
				v := find(t, d, report.VerdictUncaptured)
				wantNumber(t, v, "share of the data", 100*c.unseen/(c.unseen+c.known))
				wantNumber(t, v, "data not captured", 1000*c.unseen)
				continue
			}
			without(t, name, d, report.VerdictUncaptured)
		}
	}
}

// TestNothingCaptured: all data passes on the second path, and the capture has the first one alone. The keys of its handshake
// tell where the data begins.
func TestNothingCaptured(t *testing.T) {
	s, first := begin()
	second := s.Subflow(path(1, 10*ms))
	second.Open(50 * ms)
	steady(second, 500*ms, 0, 100)
	first.Ack(tracegen.B2A, 3000*ms)
	d := seeOnly(t, s, tracegen.HostA, func(_ int, p *tracegen.Packet) bool { return on(p, 0) })
	without(t, "no data captured", d, report.VerdictSinglePath)
	wantNumber(t, find(t, d, report.VerdictUncaptured), "data not captured", 100_000)
}

// on reports whether a packet is of the i-th path.
func on(p *tracegen.Packet, i int) bool {
	a := path(i, 0).A
	return p.Src == a || p.Dst == a
}

// TestUncapturedSignals sends nine of ten segments on the second subflow, one every 10 ms with a
// round trip of 20 ms. Their DATA_ACKs and the echo of its ADD_ADDR are there too. A capture of
// the first subflow alone shows a pause of 80 ms after each of its segments, and data beyond the
// window of 8000 bytes in the latest DATA_ACK on it. Neither is true, as the capture of both
// subflows shows.
func TestUncapturedSignals(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
	var subs [2]*tracegen.Subflow
	for i := range subs {
		p := path(i, 10*ms)
		p.Window = 8000
		subs[i] = s.Subflow(p)
		subs[i].Open(time.Duration(i) * 100 * ms)
	}
	addr := mptcp.AddAddr{Addr: path(1, 0).A.Addr(), AddressID: 1}
	subs[0].Signal(tracegen.A2B, 60*ms, s.AddAddr(tracegen.A2B, addr))
	addr.Echo = true
	subs[1].Signal(tracegen.B2A, 200*ms, s.AddAddr(tracegen.B2A, addr))
	for i := range 110 {
		at, offset := 500*ms+time.Duration(i)*100*ms, int64(i)*10_000
		steady(subs[0], at, offset, 1)
		steady(subs[1], at+10*ms, offset+1000, 9)
	}
	for name, keep := range map[string]func(int, *tracegen.Packet) bool{
		"both":  func(int, *tracegen.Packet) bool { return true },
		"first": func(_ int, p *tracegen.Packet) bool { return on(p, 0) },
	} {
		d := seeOnly(t, s, tracegen.HostA, keep)
		without(t, name, d, report.VerdictWindowClosed, report.VerdictApplication, report.VerdictAddAddrNotJoined, report.VerdictAddAddrNotEchoed)
		missing := says(d, report.VerdictUncaptured)
		assert.Check(t, missing == (name == "first"), "%s: a path is missing: %t", name, missing)
	}
}

// TestUncapturedWait: data of two paths waits for data of a third path, which comes 40 ms later
// and is named as the cause. If the capture at the receiver lacks the third path, a DATA_ACK on
// one of the two ends the wait, and no path is named.
func TestUncapturedWait(t *testing.T) {
	const rounds = 60
	for _, missing := range []bool{false, true} {
		s, quick := begin()
		slow, other := s.Subflow(path(1, 50*ms)), s.Subflow(path(2, 10*ms))
		slow.Open(50 * ms)
		other.Open(200 * ms)
		for i := range rounds {
			at, offset := 500*ms+time.Duration(i)*150*ms, int64(i)*4000
			slow.Data(tracegen.A2B, at, offset, 1000)
			quick.Data(tracegen.A2B, at, offset+1000, 2000)
			other.Data(tracegen.A2B, at+100*ms, offset+3000, 1000)
		}
		d := seeOnly(t, s, tracegen.HostB, func(_ int, p *tracegen.Packet) bool { return !missing || !on(p, 1) })
		if missing {
			without(t, "without the slow path", d, report.VerdictHoLBlocked)
		} else if v := find(t, d, report.VerdictHoLBlocked); *v.Subflow != 1 {
			t.Errorf("subflow %d is blamed", *v.Subflow)
		}
	}
}
