package conn

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// running returns a session of two subflows whose handshakes were not captured.
func running(cfg tracegen.Config) (s *tracegen.Session, f, g *tracegen.Subflow) {
	s = tracegen.NewSession(cfg)
	f, g = s.Subflow(path(0)), s.Subflow(path(1))
	f.Assume()
	g.Assume()
	return s, f, g
}

// exchange sends n segments of 1000 bytes over both subflows in turn, each
// acknowledged, and some data back.
func exchange(f, g *tracegen.Subflow, n int) {
	both := [2]*tracegen.Subflow{f, g}
	for i := range n {
		at := time.Duration(i) * 30 * ms
		x := both[i%2]
		x.Data(a2b, at, int64(1000*i), 1000)
		x.Ack(b2a, at+10*ms)
		x.Data(b2a, at+12*ms, int64(10*i), 10)
	}
}

// A capture that begins in the middle: numbers of 8 or 4 bytes prove that the subflows
// belong together.
func TestMidCapture(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cfg     tracegen.Config
		version uint8
	}{
		{"8 bytes", tracegen.Config{Version: 1}, 1},
		{"4 bytes", tracegen.Config{Version: 0, DSN4: true, DataAck4: true}, 0},
		{"4 bytes about to wrap", tracegen.Config{Version: 0, DSN4: true, DataAck4: true, IDSN: [2]uint64{1<<32 - 3000, 1<<32 - 20}}, 0},
		{"8 bytes about to wrap", tracegen.Config{Version: 1, IDSN: [2]uint64{1<<64 - 3000, 1<<64 - 20}}, 1},
		{"8 and 4 bytes", tracegen.Config{Version: 1, DSN4: true}, 1},
		{"checksums", tracegen.Config{Version: 1, Checksum: true}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, view := range views {
				s, f, g := running(tt.cfg)
				exchange(f, g, 10)
				f.Signal(a2b, 400*ms, s.AddAddr(a2b, mptcp.AddAddr{AddressID: 2, Addr: path(2).A.Addr()})) // which tells the version
				r := analyse(t, s, view).only(t)
				c := r.c
				inUse, sure := c.Checksums() // as the mappings show
				assert.Check(t, inUse == tt.cfg.Checksum && sure && c.VersionKnown(), "at %s: checksums %v (known %v), version known %v", name, inUse, sure, c.VersionKnown())
				assert.Assert(t, c.Kind == Multipath && !c.Handshake && c.Version == tt.version && len(c.Subflows) == 2 && !c.Hosts[A].HasToken, "at %s: %+v", name, c)
				if c.Subflows[0].Ends[A].Port != 40000 || c.Subflows[1].Ends[A].Port != 40001 || !c.Subflows[1].NoSYN || c.Subflows[1].HMAC != HMACUnchecked {
					t.Errorf("at %s: subflows %+v, %+v", name, c.Subflows[0], c.Subflows[1])
				}
				if r.bytes() != [2]int64{10000, 100} || len(r.has(EventMerged)) != 1 || len(r.has(EventUnmapped)) != 0 {
					t.Errorf("at %s: bytes %v, events %v", name, r.bytes(), r.log)
				}
				if subSpace := c.Subflows[1].Spaces[A]; subSpace.FirstBytes != 5000 || subSpace.ReinjectedBytes != 0 {
					t.Errorf("at %s: second subflow carried %d bytes first", name, subSpace.FirstBytes)
				}
			}
		})
	}
}

// A subflow whose JOIN was not captured is attached to a known connection, from
// whichever end its first packet came.
func TestAttachedToKnownConnection(t *testing.T) {
	for name, tt := range map[string]struct {
		leftOut []int
		first   string // who sent the first packet of the second subflow that is left
	}{
		"all of the handshake":     {[]int{4, 5, 6, 7}, "a"},
		"SYN":                      {[]int{4}, "b"},
		"SYN and SYN/ACK":          {[]int{4, 5}, "a"},
		"the three-way handshake":  {[]int{4, 5, 6}, "b"},
		"SYN/ACK and third packet": {[]int{5, 6}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			s, f, at := opened(tracegen.Config{Version: 1})
			g, at := joined(s, 1, at)
			f.Data(a2b, at, 0, 1000)
			g.Data(a2b, at+1*ms, 1000, 1000)
			g.Ack(b2a, at+11*ms)
			f.Data(a2b, at+31*ms, 2000, 1000)
			r := analyse(t, s, tracegen.HostA, tt.leftOut...).only(t)
			if len(r.c.Subflows) != 2 || r.bytes() != [2]int64{3000, 0} {
				t.Fatalf("%d subflows, bytes %v", len(r.c.Subflows), r.bytes())
			}
			sub := r.c.Subflows[1]
			assert.Check(t, sub.Ends[A].Port == 40001 && sub.Joined && (sub.HMAC == HMACUnchecked || tt.first != "b"), "%+v", sub)
			if want := map[bool]int{true: 1, false: 0}[sub.NoSYN]; len(r.has(EventMerged)) != want {
				t.Errorf("events %v", r.log)
			}
		})
	}
}

// The initial subflow's SYN was not captured, but a key was.
func TestSYNMissing(t *testing.T) {
	for _, tt := range []struct {
		version uint8
		leftOut []int
		keys    [2]bool
	}{
		{1, []int{1}, [2]bool{true, true}},
		{0, []int{1}, [2]bool{true, true}},
		{1, []int{1, 2}, [2]bool{true, true}},
		{1, []int{1, 3}, [2]bool{false, true}},
	} {
		s, f, at := opened(tracegen.Config{Version: tt.version})
		p := path(1)
		g := s.Subflow(p)
		h := g.Open(at)
		at = h.Established()
		f.Data(a2b, at, 0, 100)
		g.Data(a2b, at+30*ms, 100, 100)
		r := analyse(t, s, tracegen.HostA, tt.leftOut...).only(t)
		c := r.c
		if c.Kind != Multipath || c.Handshake || c.Version != tt.version || [2]bool{c.Hosts[A].HasKey, c.Hosts[B].HasKey} != tt.keys {
			t.Errorf("version %d without %v: %+v", tt.version, tt.leftOut, c)
		}
		if len(c.Subflows) != 2 || c.Subflows[0].Initiator != A || r.bytes() != [2]int64{200, 0} {
			t.Errorf("version %d without %v: %d subflows, bytes %v", tt.version, tt.leftOut, len(c.Subflows), r.bytes())
		}
		want := HMACValid
		if !tt.keys[A] {
			want = HMACUnchecked
		}
		if c.Subflows[1].HMAC != want {
			t.Errorf("version %d without %v: join %v", tt.version, tt.leftOut, c.Subflows[1].HMAC)
		}
	}
}

// Captures of one direction only. A warning says so.
func TestOneDirection(t *testing.T) {
	for side, src := range map[Side]string{A: "a", B: "b"} {
		s, f, at := opened(tracegen.Config{Version: 1})
		g, at := joined(s, 1, at)
		both := [2]*tracegen.Subflow{f, g}
		for i := range 10 {
			x := both[i%2]
			x.Data(a2b, at, int64(1000*i), 1000)
			x.Ack(b2a, at+10*ms)
			x.Data(b2a, at+12*ms, int64(10*i), 10)
			x.Ack(a2b, at+22*ms)
			at += 30 * ms
		}
		s.Close(at, 10000, 100)
		var packets []tracegen.Packet
		for _, p := range s.Packets(tracegen.Middle) {
			if (p.Src.Port() != 80) == (side == A) {
				packets = append(packets, p)
			}
		}
		table, rec := feed(segments(t, packets, tracegen.LinkRaw))
		table.Finish()
		r := rec.only(t)
		want := [2]int64{}
		want[side] = [2]int64{10000, 100}[side]
		if r.c.Kind != Multipath || r.c.Handshake || len(r.c.Subflows) != 2 || r.bytes() != want || r.settled != want {
			t.Errorf("only %s's packets: %+v with %d subflows, bytes %v, settled %v", src, r.c, len(r.c.Subflows), r.bytes(), r.settled)
		}
		if sub := r.c.Subflows[1]; sub.Initiator != A || sub.Refused() || !sub.Established() {
			t.Errorf("only %s's packets: %+v", src, sub)
		}
		message := "of 1 of 1 connections (of a: 1, of b: 0)"
		if side == B {
			message = "of 1 of 1 connections (of a: 0, of b: 1)"
		}
		if list := table.Warnings.List(); len(list) != 1 || list[0].Code != OneDirection || !strings.Contains(list[0].Message, message) {
			t.Errorf("only %s's packets: warnings %+v, want %q", src, list, message)
		}
	}
}

// A join names a connection whose keys are not in the capture. Its numbers prove its
// connection, and its token then serves for the next join.
func TestUnknownToken(t *testing.T) {
	for _, opener := range [2]Side{A, B} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(path(0))
		f.Assume()
		f.Data(a2b, 0, 0, 1000)
		f.Ack(b2a, 10*ms)
		at := 30 * ms
		for n := range int64(2) {
			p := path(int(n + 1))
			p.FromB = opener == B
			g := s.Subflow(p)
			h := g.Open(at)
			if at = h.Established(); n == 0 {
				g.Data(a2b, at, 1000, 1000)
			}
			at += 50 * ms
		}
		r := analyse(t, s, tracegen.HostA).only(t)
		assert.Assert(t, len(r.c.Subflows) == 3 && r.bytes() == [2]int64{2000, 0}, "%d subflows, bytes %v", len(r.c.Subflows), r.bytes())
		token := s.Token([2]tracegen.Dir{A: b2a, B: a2b}[opener]) // that of the other host
		host, sub := r.c.Hosts[opener.Other()], r.c.Subflows[1]
		assert.Check(t, host.HasToken && host.Token == token && !host.HasKey, "opened by %v: %+v", opener, host)
		if sub.Initiator != opener || sub.NoSYN || sub.HMAC != HMACUnchecked || !strings.Contains(r.detail(EventMerged), "data sequence numbers") {
			t.Errorf("opened by %v: %+v, %v", opener, sub, r.details)
		}
		assert.Check(t, is.DeepEqual(r.has(EventMerged), []string{"subflow_attached s1 #3"}), "opened by %v", opener)
	}
	t.Run("nothing to belong to", func(t *testing.T) {
		s, _, at := opened(tracegen.Config{Version: 1})
		g, at := joined(s, 1, at)
		g.Data(a2b, at, 0, 500)
		joined(s, 2, at)
		r := analyse(t, s, tracegen.HostA, 1, 2, 3).only(t)
		if len(r.c.Subflows) != 2 || r.bytes() != [2]int64{500, 0} || r.c.Hosts[B].Token != s.Token(b2a) || r.c.Subflows[0].Initiator != A {
			t.Errorf("%d subflows, bytes %v, %+v", len(r.c.Subflows), r.bytes(), r.c.Hosts)
		}
	})
	t.Run("refused", func(t *testing.T) {
		s, _, at := opened(tracegen.Config{Version: 1})
		g := s.Subflow(path(1))
		syn := g.SYN(at)
		syn.Again(at + 5*ms)
		g.RST(b2a, at+10*ms)
		r := analyse(t, s, tracegen.HostA, 1, 2, 3).only(t)
		if len(r.c.Subflows) != 1 || !r.c.Subflows[0].Refused() || r.c.State() != WasReset || r.c.Subflows[0].Senders[A].SYNs != 2 {
			t.Errorf("state %v, %+v", r.c.State(), r.c.Subflows[0])
		}
	})
	t.Run("the port was used before", func(t *testing.T) {
		n := tracegen.NewNetwork(tracegen.Start)
		old := n.Session(tracegen.Config{Version: 1, Keys: [2]uint64{5, 6}})
		f := old.Subflow(path(0))
		f.Assume()
		f.Data(a2b, 0, 0, 100)
		fresh := n.Session(tracegen.Config{Version: 1, Keys: [2]uint64{7, 8}})
		p := path(0)
		p.ISN[a2b] += 1 << 24
		g := fresh.Subflow(p)
		h := g.Open(50 * ms)
		g.Data(a2b, h.Established(), 0, 200)
		r := analyse(t, old, tracegen.HostA)
		assert.Check(t, len(r.conns) == 2 && r.conns[0].bytes()[A] == 100 && r.conns[1].bytes()[A] == 200 && r.conns[1].c.Handshake, "%d connections", len(r.conns))
	})
}

// Where the SYN was not captured, the subflow's origin follows from the
// mappings; data from before that counts too.
func TestOriginFromMappings(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(path(0))
	f.Assume()
	first, second := f.Map(a2b, 0, 5000), f.Map(a2b, 5000, 5000)
	for i := range 5 {
		first.Send(time.Duration(i)*ms, 1000*i, 1000)
	}
	for i := range 5 {
		second.Send(time.Duration(5+i)*ms, 1000*i, 1000)
	}
	f.Ack(b2a, 30*ms)
	// The capture begins inside the first mapping.
	r := analyse(t, s, tracegen.HostA, 1, 2).only(t)
	if r.bytes() != [2]int64{8000, 0} || len(r.has(EventUnmapped)) != 0 {
		t.Errorf("bytes %v, events %v", r.bytes(), r.log)
	}
	sub := r.c.Subflows[0]
	if isn, known := sub.Senders[A].ISN(); isn != 1000 || !known || sub.Senders[A].SndNxt() != 10001 {
		t.Errorf("origin %d, end %d, want 1000 and 10001", isn, sub.Senders[A].SndNxt())
	}
	if r.settled[A] != 8000 {
		t.Errorf("%d bytes settled", r.settled[A])
	}
}

// A flow that seemed to be plain TCP turns out to be Multipath TCP.
func TestMidCapturePromotes(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(path(0))
	f.Assume()
	bareAck(f, a2b, 0)
	f.Data(a2b, 10*ms, 0, 300)
	if r := analyse(t, s, tracegen.HostA).only(t); r.c.Kind != Multipath || r.bytes() != [2]int64{300, 0} {
		t.Errorf("kind %v, bytes %v", r.c.Kind, r.bytes())
	}
}

// A stray RST is no connection.
func TestStrayReset(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(path(0))
	f.RST(a2b, 0)
	f.RST(a2b, 0, &mptcp.TCPRST{})
	if r := analyse(t, s, tracegen.HostA); len(r.conns) != 0 {
		t.Errorf("%d connections", len(r.conns))
	}
}

func TestPendingFlowBounds(t *testing.T) {
	dss := func(flow, i int) packet.Segment {
		var s packet.Segment
		s.Num, s.Time = uint64(i), int64(i)
		s.Src.Port, s.Dst.Port = uint16(flow), 80
		s.Seq, s.PayloadLen, s.Flags = 1000, 1<<16, packet.ACK
		s.Have = packet.HasDSS
		s.SetPayload(make([]byte, s.PayloadLen))
		// Flows are 2^40 apart: no two belong together.
		s.DSS = mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8, DSN: uint64(flow) << 40, SSN: 1, Length: 100}
		return s
	}
	table := NewTable(Options{})
	for i := range 5 * maxPendingFlows {
		s := dss(i+1, i)
		table.Segment(&s)
		if len(table.pendingFlows) > maxPendingFlows || table.heldBytes > maxHeldBytes {
			t.Fatalf("%d pending flows hold %d bytes", len(table.pendingFlows), table.heldBytes)
		}
	}
	for i := range 4 * maxHeldBytes >> 16 {
		s := dss(5*maxPendingFlows, i)
		table.Segment(&s)
		assert.Assert(t, table.heldBytes <= maxHeldBytes, "pending flows hold %d bytes", table.heldBytes)
	}
	for _, pf := range table.pendingFlows {
		assert.Check(t, len(pf.held) < maxHeldPackets, "a pending flow holds %d packets", len(pf.held))
	}
	last := dss(1<<15, 0)
	last.Time = holdFor * 3
	table.Segment(&last)
	assert.Check(t, len(table.pendingFlows) == 1, "%d pending flows wait though %v s have passed", len(table.pendingFlows), holdFor/1e9*3)
	table.Finish()
	assert.Check(t, len(table.pendingFlows) == 0 && table.heldBytes == 0, "%d pending flows, %d bytes at the end", len(table.pendingFlows), table.heldBytes)
}

// The connection begins with the subflow that was seen first, even if only a later packet
// of it proves that the subflows belong together.
func TestMidCaptureBegins(t *testing.T) {
	s, f, g := running(tracegen.Config{Version: 0, DSN4: true, DataAck4: true, DataSeqOnly: true})
	f.Data(a2b, 0, 0, 1000)
	g.Data(a2b, 5*ms, 1000, 1000)
	g.Ack(b2a, 30*ms)
	g.Data(b2a, 31*ms, 0, 10)
	f.Ack(b2a, 40*ms)
	f.Data(b2a, 41*ms, 10, 10)
	r := analyse(t, s, tracegen.HostA).only(t)
	if begun := s.Packets(tracegen.HostA)[0].Time + packet.Origin; r.c.Start != begun || len(r.c.Subflows) != 2 || r.c.Subflows[0].Start != begun {
		t.Errorf("begins at %d, subflows %+v; want two, the first and the connection to begin at %d", r.c.Start, r.c.Subflows, begun)
	}
	if got := r.bytes(); got != [2]int64{2000, 20} {
		t.Errorf("bytes %v, want 2000 and 20", got)
	}
}
