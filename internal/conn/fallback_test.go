package conn

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// bareAck acknowledges without a DATA_ACK, as after a fallback.
func bareAck(f *tracegen.Subflow, d tracegen.Dir, at time.Duration) {
	f.Ack(d, at).Edit(without(mptcp.SubDSS))
}

// The first payload carries no option: all data is plain TCP from the start.
func TestFallbackAtFirstData(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	m := f.Map(a2b, 0, 3000).Bare()
	for i := range 3 {
		m.Send(at+time.Duration(i)*ms, 1000*i, 1000)
	}
	bareAck(f, b2a, at+20*ms)
	m = f.Map(b2a, 0, 500).Bare()
	m.Send(at+30*ms, 0, 500)
	end := at + 50*ms
	f.FIN(a2b, end)
	f.FIN(b2a, end+10*ms)
	bareAck(f, a2b, end+20*ms)
	r := analyse(t, s, tracegen.HostA).only(t)
	if r.bytes() != [2]int64{3000, 500} || !strings.HasPrefix(r.c.Fallback, "the first payload of a carries no MPTCP option") {
		t.Errorf("bytes %v, fallback %q", r.bytes(), r.c.Fallback)
	}
	assert.Check(t, is.DeepEqual(r.has(EventFallback), []string{"fallback s0 #4"}), "events")
	if ack, ok := r.c.Spaces[A].SndUna(); !ok || ack != 3001 {
		t.Errorf("the subflow's ACK stands for a DATA_ACK up to %d", ack)
	}
	if r.c.State() != Closed || r.settled != [2]int64{3000, 500} {
		t.Errorf("state %v, settled %v", r.c.State(), r.settled)
	}
}

// Options are removed later: the receiver's ACK without a DATA_ACK shows it.
func TestFallbackLater(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	f.Data(a2b, at, 0, 1000) // #4
	f.Ack(b2a, at+10*ms)     // #5 at A
	m := f.Map(a2b, 1000, 2000).Bare()
	m.Send(at+30*ms, 0, 1000) // #6
	m.Send(at+31*ms, 1000, 1000)
	bareAck(f, b2a, at+41*ms) // #8
	f.Map(a2b, 3000, 700).Bare().Send(at+60*ms, 0, 700)
	r := analyse(t, s, tracegen.HostA).only(t)
	if r.bytes() != [2]int64{3700, 0} || r.late != 2000 {
		t.Errorf("bytes %v, %d of them placed late", r.bytes(), r.late)
	}
	assert.Check(t, is.DeepEqual(r.log, []string{"fallback s0 #8"}), "events")
	if !strings.Contains(r.c.Fallback, "since packet 6 was accepted without a DATA_ACK") || r.c.FallbackCode != FallbackDSS {
		t.Errorf("fallback %q, code %s", r.c.Fallback, r.c.FallbackCode)
	}
}

// Without ACKs, many segments without an option show it.
func TestFallbackByPatience(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	f.Data(a2b, at, 0, 1000)
	m := f.Map(a2b, 1000, 100*(maxUnmappedRuns+1)).Bare()
	for i := range maxUnmappedRuns + 1 {
		m.Send(at+time.Duration(i+1)*ms, 100*i, 100)
	}
	r := analyse(t, s, tracegen.HostA).only(t)
	if since := fmt.Sprintf(", since %.6f s", (at + 1*ms).Seconds()); !strings.HasSuffix(r.c.Fallback, since) || r.c.FellBack-r.c.Start != int64(at+1*ms) {
		t.Errorf("fallback %q at %d ns, want that of the first packet without a mapping%s", r.c.Fallback, r.c.FellBack-r.c.Start, since)
	}
	if got := r.has(EventFallback); len(got) != 1 || got[0] != "fallback s0 #37" { // 3 + 1 + 33
		t.Errorf("events %v", got)
	}
	if r.bytes() != [2]int64{int64(1000 + 100*(maxUnmappedRuns+1)), 0} || r.c.FallbackCode != FallbackDSS {
		t.Errorf("bytes %v, code %s", r.bytes(), r.c.FallbackCode)
	}
}

// The snapshot length may have cut the options off. That the last ACK has no option then
// proves nothing: hosts in TIME-WAIT send it without.
func TestCutOptionsAreNoFallback(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	for i := range 3 * maxUnmappedRuns {
		f.Data(a2b, at+time.Duration(i)*ms, int64(100*i), 100)
	}
	bareAck(f, b2a, at+500*ms)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	for i := range segs[3 : len(segs)-1] {
		x := &segs[3+i]
		x.Have, x.DSS = x.Have&^packet.HasDSS|packet.OptionsCut, mptcp.DSS{}
	}
	table, rec := feed(segs)
	table.Finish()
	r := rec.only(t)
	if l := r.c.Subflows[0].Spaces[A]; r.c.Fallback != "" || l.UnmappedBytes != 3*maxUnmappedRuns*100 || !l.OptionsCut {
		t.Errorf("fallback %q, %d bytes unmapped, cut %v", r.c.Fallback, l.UnmappedBytes, l.OptionsCut)
	}
}

// infinite turns the DSS of a packet into an infinite mapping.
func infinite(p *tracegen.Packet) {
	eachOption(p.Options, func(_, n int, opt []byte) {
		if opt[0] == mptcp.Kind && mptcp.SubtypeOf(opt) == mptcp.SubDSS {
			opt[n-1], opt[n-2] = 0, 0 // data-level length
		}
	})
}

func TestInfiniteMapping(t *testing.T) {
	for _, fail := range []bool{false, true} {
		s, f, at := opened(tracegen.Config{Version: 1, DataSeqOnly: true})
		f.Data(a2b, at, 0, 1000)
		if fail {
			f.Signal(b2a, at+5*ms, &mptcp.Fail{DSN: s.DSN(a2b, 0)})
		}
		f.Data(a2b, at+30*ms, 1000, 500).Edit(infinite)
		f.Map(a2b, 1500, 500).Bare().Send(at+31*ms, 0, 500)
		bareAck(f, b2a, at+45*ms)
		r := analyse(t, s, tracegen.HostA).only(t)
		want, code := "infinite mapping announced by a", FallbackInfinite
		if fail {
			want, code = want+" after MP_FAIL of b (packet 5)", FallbackChecksum
		}
		if got := r.detail(EventFallback); got != want || r.c.FallbackCode != code {
			t.Errorf("fallback %q, code %s, want %q, %s", got, r.c.FallbackCode, want, code)
		}
		if ack, _ := r.c.Spaces[A].SndUna(); r.bytes() != [2]int64{2000, 0} || ack != 2001 || len(r.has(EventInfinite)) != 1 {
			t.Errorf("bytes %v, acknowledged up to %d, events %v", r.bytes(), ack, r.log)
		}
	}
}

// An empty mapping on a packet without payload is no infinite mapping. It changes nothing,
// and the data at its position can be mapped later.
func TestEmptyMappingIsNoInfiniteMapping(t *testing.T) {
	for _, keyed := range []bool{true, false} { // with and without the handshake
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(path(0))
		at := time.Duration(0)
		if f.Assume(); keyed {
			s, f, at = opened(tracegen.Config{Version: 1})
		}
		empty := func(p *tracegen.Packet) {
			o := mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8, DSN: s.DSN(a2b, 0), SSN: 1}
			p.Options = o.Append(tracegen.AppendTimestamps(nil, 1e7, 0))
		}
		if !keyed {
			f.Data(a2b, at, 0, 10)
			f.Data(a2b, at, 10, 20) // two mappings show the origin
		}
		f.Ack(a2b, at+1*ms).Edit(empty)
		f.Data(a2b, at+2*ms, 30, 1000)
		f.Ack(a2b, at+3*ms).Edit(empty)
		f.Data(a2b, at+4*ms, 2000, 500) // not one to one with the subflow
		f.Ack(b2a, at+30*ms)
		r := analyse(t, s, tracegen.HostA).only(t)
		want := [2]int64{1500, 0}
		if !keyed {
			want[A] += 30
		}
		if r.c.Fallback != "" || len(r.log) != 0 || r.bytes() != want {
			t.Errorf("fallback %q, events %v, bytes %v, want %v", r.c.Fallback, r.log, r.bytes(), want)
		}
	}
}

// With another open subflow, unmapped payload is no fallback; the end of the analysis
// reports it as unmapped.
func TestUnmappedOnOneOfTwo(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	_, at = joined(s, 1, at)
	f.Data(a2b, at, 0, 100)
	m := f.Map(a2b, 100, 50*100).Bare()
	for i := range 50 {
		m.Send(at+time.Duration(i+1)*ms, 100*i, 100)
	}
	bareAck(f, b2a, at+200*ms)
	r := analyse(t, s, tracegen.HostA).only(t)
	if r.c.Fallback != "" || r.bytes() != [2]int64{100, 0} || r.c.Subflows[0].Spaces[A].UnmappedBytes != 5000 {
		t.Errorf("fallback %q, bytes %v, %d unmapped", r.c.Fallback, r.bytes(), r.c.Subflows[0].Spaces[A].UnmappedBytes)
	}
	assert.Check(t, is.DeepEqual(r.has(EventUnmapped), []string{"unmapped_data s0 #9"}), "events")
}

// A keep-alive probe with one byte below the stream is not the first payload.
func TestKeepAliveIsNoFallback(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	f.Ack(a2b, at).Edit(func(p *tracegen.Packet) {
		without(mptcp.SubDSS)(p)
		p.Seq--
		p.Payload, p.PayloadLen = []byte{0}, 1
	})
	f.Data(a2b, at+10*ms, 0, 100)
	r := analyse(t, s, tracegen.HostA).only(t)
	if r.c.Fallback != "" || r.bytes() != [2]int64{100, 0} || len(r.log) != 0 {
		t.Errorf("fallback %q, bytes %v, events %v", r.c.Fallback, r.bytes(), r.log)
	}
}

// TestFallbackWithoutSYN: the SYN of a session without options after the SYN/ACK is not captured.
// The segments of B show the fallback, not its cause. Then the 500 bytes of A are data, too, although
// A sends nothing more but its FIN.
func TestFallbackWithoutSYN(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	f.Map(a2b, 0, 500).Bare().Send(at, 0, 500)
	m := f.Map(b2a, 0, 100*(maxUnmappedRuns+1)).Bare()
	for i := range maxUnmappedRuns + 1 {
		m.Send(at+100*ms+time.Duration(i)*ms, 100*i, 100)
	}
	f.FIN(a2b, at+400*ms).Bare()
	bareAck(f, b2a, at+500*ms)
	r := analyse(t, s, tracegen.HostA, 1, 3).only(t)
	if r.bytes() != [2]int64{500, 100 * (maxUnmappedRuns + 1)} || r.c.Fallback == "" || r.c.FallbackCode != "" {
		t.Errorf("bytes %v, fallback %q, code %q", r.bytes(), r.c.Fallback, r.c.FallbackCode)
	}
}
