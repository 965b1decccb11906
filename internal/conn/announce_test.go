package conn

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// Sequence numbers of TCP wrap inside a mapping, and data is sent on both
// subflows: bytes, first transmissions, reinjections and retransmissions.
func TestDataOverTwoSubflows(t *testing.T) {
	for name, view := range views {
		s := tracegen.NewSession(tracegen.Config{Version: 1, Checksum: true})
		p := path(0)
		p.ISN = [2]seq.Wire{0xfffff000, 0xffffffff}
		f := s.Subflow(p)
		h := f.Open(0)
		g, at := joined(s, 1, h.Established())
		m := f.Map(a2b, 0, 8000) // wraps after 4095 bytes
		for i := range 8 {
			m.Send(at, 1000*i, 1000)
		}
		m.Send(at+300*ms, 3500, 1000)      // retransmission
		g.Data(a2b, at+310*ms, 2000, 4000) // reinjection, one super-segment
		f.Data(a2b, at+311*ms, 8000, 500)  // new
		f.Data(a2b, at+312*ms, 0, 100)     // reinjection on the same subflow
		f.DataFIN(a2b, at+313*ms, 8500)    // DATA_FIN on its own
		f.Ack(b2a, at+330*ms)              // DATA_ACK of all
		r := analyse(t, s, view).only(t)
		first, second := r.c.Subflows[0].Spaces[A], r.c.Subflows[1].Spaces[A]
		type sums struct{ First, Mapped, Unique, Reinjected, Same int64 }
		of := func(l *dss.SubflowSpace) sums {
			return sums{l.FirstBytes, l.MappedBytes(), l.MappedUnique(), l.ReinjectedBytes, l.ReinjectedSame}
		}
		assert.Check(t, is.DeepEqual([]sums{of(first), of(second)}, []sums{{8500, 9600, 8600, 100, 100}, {0, 4000, 4000, 4000, 0}}), "at %s", name)
		if r.bytes() != [2]int64{8500, 0} || !r.c.Spaces[A].FINAcked() || r.settled[A] != 8500 {
			t.Errorf("at %s: bytes %v, DATA_FIN acknowledged %v, settled %v", name, r.bytes(), r.c.Spaces[A].FINAcked(), r.settled)
		}
		for _, k := range r.checks {
			assert.Check(t, k == dss.CheckValid, "at %s: checks %v", name, r.checks)
		}
		assert.Check(t, len(r.checks) == 4, "at %s: %d checksums settled, want those of the four mappings", name, len(r.checks))
	}
}

func TestChecksumError(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1, Checksum: true})
	m := f.Map(a2b, 0, 2000)
	m.Send(at, 0, 1000)
	m.Send(at+1*ms, 1000, 1000).Edit(func(p *tracegen.Packet) { p.Payload[500] ^= 1 })
	f.Data(a2b, at+2*ms, 2000, 100)
	r := analyse(t, s, tracegen.HostA).only(t)
	assert.Check(t, is.DeepEqual(r.log, []string{"checksum_error s0 #5"}), "events")
	assert.Check(t, is.DeepEqual(r.checks, []dss.CheckResult{dss.CheckInvalid, dss.CheckValid}), "checks")
	if !r.mappings[0].ChecksumPending || r.mappings[1].ChecksumPending || r.mappings[1].Verdict != dss.RepeatedMapping {
		t.Errorf("mappings %+v: the repetition is not checked again", r.mappings)
	}
}

// A mapping on a pure ACK before its payload is verified like any other.
func TestMappingBeforePayload(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1, Checksum: true})
	m := f.Map(a2b, 0, 100)
	m.Send(at, 0, 0)
	m.Send(at+1*ms, 0, 100).Edit(without(mptcp.SubDSS))
	r := analyse(t, s, tracegen.HostA).only(t)
	if diff := cmp.Diff([]dss.CheckResult{dss.CheckValid}, r.checks); diff != "" || r.bytes() != [2]int64{100, 0} || r.c.Fallback != "" {
		t.Errorf("bytes %v, fallback %q, checks (-want +got):\n%s", r.bytes(), r.c.Fallback, diff)
	}
}

// Payload may come before the MP_CAPABLE that maps it. It gets its position with that
// packet, and the packet before reports nothing of it.
func TestFirstMappingBehindPayload(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	m := f.Map(a2b, 0, 150).OnCapable()
	m.Send(at, 0, 50).Edit(func(p *tracegen.Packet) {
		eachOption(p.Options, func(_, n int, opt []byte) {
			if opt[0] == mptcp.Kind { // a data-level length follows both keys: the option without it is shorter by 2 bytes
				opt[1], opt[n-2], opt[n-1] = byte(n-2), 1, 1
			}
		})
	})
	m.Send(at+1*ms, 50, 100)
	r := analyse(t, s, tracegen.HostA).only(t)
	want := []string{"#5 [1,51) of #4", "#5 [51,151) of #5"}
	if diff := cmp.Diff(want, r.pieces); diff != "" || r.c.Fallback != "" {
		t.Errorf("fallback %q, pieces (-want +got):\n%s", r.c.Fallback, diff)
	}
}

func TestContradictingMapping(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	m := f.Map(a2b, 0, 1000)
	m.Send(at, 0, 500)
	m.Send(at+1*ms, 500, 500).Edit(func(p *tracegen.Packet) {
		eachOption(p.Options, func(_, n int, opt []byte) {
			if opt[0] == mptcp.Kind { // DSS with 8-byte DATA_ACK and DSN: the DSN ends 6 bytes before the end
				opt[n-8]++
			}
		})
	})
	r := analyse(t, s, tracegen.HostA).only(t)
	if diff := cmp.Diff([]string{"mapping_conflict s0 #5"}, r.log); diff != "" || r.bytes() != [2]int64{1000, 0} || r.c.Spaces[A].SndNxt() != 1001 {
		t.Errorf("bytes %v up to %d, events (-want +got):\n%s", r.bytes(), r.c.Spaces[A].SndNxt(), diff)
	}
}

func TestDescribe(t *testing.T) {
	type described struct {
		length   int64
		bytes    int
		checksum int32
		fin      bool
	}
	for _, tt := range []struct {
		wire     mptcp.DSS
		want     described
		infinite bool
	}{
		{mptcp.DSS{Flags: mptcp.DSSMap, DSN: 9, Length: 100}, described{100, 4, -1, false}, false},
		{mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8 | mptcp.DSSChecksum, DSN: 9, Length: 100, Checksum: 0xffff}, described{100, 8, 0xffff, false}, false},
		{mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSFin, DSN: 9, Length: 100}, described{99, 4, -1, true}, false},
		{mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSFin, DSN: 9, Length: 1}, described{0, 4, -1, true}, false},
		{mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSFin, DSN: 9}, described{0, 4, -1, false}, true}, // length 0 is an infinite mapping, whatever F is
	} {
		m := Mapping{SSN: 3, Infinite: true, ChecksumPending: true, Verdict: dss.ConflictingMapping} // of another mapping before
		m.read(&tt.wire, 5)
		assert.Check(t, is.DeepEqual(m, Mapping{DSS: tt.wire, SSN: -1, DSN: 5, Infinite: tt.infinite}), "%+v", tt.wire)
		if got := (described{m.Length(), m.WireBytes(), m.Checksum(), m.DataFIN()}); got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.wire, got, tt.want)
		}
	}
}

// What a packet in the middle of a connection shows of the version.
func TestVersionOf(t *testing.T) {
	with := func(o tracegen.Option) (s packet.Segment) { return withOption(s, o) }
	dssOf := func(flags mptcp.DSSFlags) (s packet.Segment) {
		s.Have, s.DSS.Flags = packet.HasDSS, flags
		return s
	}
	addr := netip.MustParseAddr("10.0.0.1")
	for name, tt := range map[string]struct {
		seg             packet.Segment
		version, weight int
	}{
		"nothing":             {packet.Segment{}, 1, 0},
		"4-byte DSN":          {dssOf(mptcp.DSSMap), 0, 1},
		"8-byte DSN":          {dssOf(mptcp.DSSMap | mptcp.DSSDSN8), 1, 2},
		"8-byte DATA_ACK":     {dssOf(mptcp.DSSAck | mptcp.DSSAck8 | mptcp.DSSMap), 1, 2},
		"width without field": {dssOf(mptcp.DSSAck | mptcp.DSSDSN8), 0, 1},
		"ADD_ADDR 0":          {with(&mptcp.AddAddr{Addr: addr}), 0, 3},
		"ADD_ADDR 1":          {with(&mptcp.AddAddr{Addr: addr, Version: 1}), 1, 3},
		"MP_TCPRST":           {with(&mptcp.TCPRST{}), 1, 3},
		"MP_CAPABLE 0":        {with(&mptcp.Capable{Have: mptcp.CapableHasSenderKey}), 0, 4},
	} {
		if version, weight := versionOf(&tt.seg); int(version) != tt.version || weight != tt.weight {
			t.Errorf("%s: version %d, weight %d, want %d, %d", name, version, weight, tt.version, tt.weight)
		}
		var c Conn
		if c.learnVersion(&tt.seg); c.VersionKnown() != (tt.weight >= 3) || c.VersionKnown() && int(c.Version) != tt.version {
			t.Errorf("%s: version %d, known %v", name, c.Version, c.VersionKnown())
		}
	}
	pf := pendingFlow{held: []packet.Segment{dssOf(mptcp.DSSMap | mptcp.DSSDSN8), with(&mptcp.AddAddr{Addr: addr}), dssOf(mptcp.DSSMap)}}
	if v := pf.version(); v != 0 {
		t.Errorf("version %d, want that of the surest sign, ADD_ADDR", v)
	}
}

// TestOriginWithoutSYN: of a mapping of 8000 bytes only three segments in its middle pass, in each
// direction of the second subflow. Without its SYN, or without its SYN/ACK, another packet of
// the handshake shows where the streams begin. So it is with the SYN/ACK of the first subflow.
func TestOriginWithoutSYN(t *testing.T) {
	for _, leftOut := range [][]int{nil, {2}, {4}, {5}, {4, 5}, {4, 6}} {
		s, f, at := opened(tracegen.Config{Version: 1})
		g, at := joined(s, 1, at)
		for d, dir := range []tracegen.Dir{a2b, b2a} {
			f.Map(dir, 0, 500).Send(at+time.Duration(d)*100*ms, 100, 400)
			f.Ack(dir.Opposite(), at+time.Duration(d)*100*ms+50*ms)
		}
		for _, dir := range []tracegen.Dir{a2b, b2a} {
			m := g.Map(dir, 500, 8000)
			for i := range 3 {
				m.Send(at+500*ms, 1000*(i+3), 1000)
			}
		}
		r := analyse(t, s, tracegen.HostA, leftOut...).only(t)
		for side := range 2 {
			first, second := r.c.Subflows[0].Spaces[side].MappedBytes(), r.c.Subflows[1].Spaces[side].MappedBytes()
			assert.Check(t, first == 400 && second == 3000, "without the packets %v: %d and %d bytes of %v have a mapping, want 400 and 3000", leftOut, first, second, Side(side))
		}
	}
}
