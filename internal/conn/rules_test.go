package conn

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// openConn returns a table with one connection that is open and idle, whose latest packet is at hour.
func openConn(t *testing.T) (*Table, *Conn) {
	t.Helper()
	table := NewTable(Options{})
	for _, s := range established(101) {
		s.Time = int64(time.Hour)
		table.Segment(&s)
	}
	assert.Assert(t, table.open.n == 1 && table.open.first.live == 1, "there is not one open connection")
	return table, table.open.first
}

// TestOver: when a connection ends that gets no more packets.
func TestOver(t *testing.T) {
	const s = int64(time.Second)
	for _, c := range []struct {
		name         string
		live         int32
		closed       bool
		last, beyond int64 // idle times at which it is still there, and at which it is over; 0 for never
	}{
		{"open", 1, false, 1000 * s, 0},
		{"closed, but for silent subflows", 1, true, 60 * s, 60*s + 1},
		{"without a subflow, may be joined", 0, false, 60 * s, 60*s + 1},
		{"closed", 0, true, 5 * s, 5*s + 1},
	} {
		table, k := openConn(t)
		k.live, k.Fastclosed = c.live, c.closed
		if table.now = int64(time.Hour) + c.last; table.over(k) {
			t.Errorf("%s: over when idle for %v", c.name, time.Duration(c.last))
		}
		if table.now = int64(time.Hour) + c.beyond; c.beyond > 0 && !table.over(k) {
			t.Errorf("%s: not over when idle for %v", c.name, time.Duration(c.beyond))
		}
	}
	table, _ := openConn(t)
	for packets, want := range []int64{0, table.now + s} { // a search pays behind a sixteenth of the connections
		table.sinceSweep, table.sweepAt = packets, 0
		if table.sweep(); table.sweepAt != want {
			t.Errorf("behind %d packets: the next search is at %d, want %d", packets, table.sweepAt, want)
		}
	}
	table = NewTable(Options{})
	pending := midStream(101, 1<<40, 1<<50, true)
	table.Segment(&pending)
	for _, x := range []struct {
		wait  int64
		flows int
	}{{30 * s, 1}, {30*s + 1, 0}} {
		table.now = pending.Time + x.wait
		if table.sweepPending(); len(table.pendingFlows) != x.flows {
			t.Errorf("%d flows wait when %v have passed", len(table.pendingFlows), time.Duration(x.wait))
		}
	}
}

// TestStateOf: the state of a connection follows from those of its subflows.
func TestStateOf(t *testing.T) {
	sub := func(state subflow.State, joined bool) *Subflow {
		s := &Subflow{Joined: joined}
		s.State = state
		s.Senders[A].Packets = 1 // the initiator answered
		return s
	}
	stripped := sub(subflow.Reset, true)
	stripped.join.stripped = true
	unanswered := sub(subflow.Reset, true)
	unanswered.Senders[A].Packets = 0
	for _, c := range []struct {
		name string
		subs []*Subflow
		want State
	}{
		{"open", []*Subflow{sub(subflow.Open, false)}, Open},
		{"opening", []*Subflow{sub(subflow.Opening, false)}, Open},
		{"one is left", []*Subflow{sub(subflow.Closed, false), sub(subflow.Open, true)}, Open},
		{"closed", []*Subflow{sub(subflow.Closed, false)}, Closed},
		{"closed and reset", []*Subflow{sub(subflow.Reset, false), sub(subflow.Closed, true)}, Closed},
		{"reset", []*Subflow{sub(subflow.Reset, false), sub(subflow.Reset, true)}, WasReset},
		{"reset, a join is pending", []*Subflow{sub(subflow.Reset, false), sub(subflow.Opening, true)}, WasReset},
		{"only a pending join", []*Subflow{sub(subflow.Opening, true)}, Open},
		{"only a refused join", []*Subflow{sub(subflow.Refused, true)}, WasReset},
		{"a pending one and refused ones", []*Subflow{stripped, unanswered, sub(subflow.Opening, true)}, Open},
		{"open, a join was refused", []*Subflow{sub(subflow.Open, false), stripped}, Open},
		{"closed, a join was refused", []*Subflow{sub(subflow.Closed, false), unanswered}, Closed},
	} {
		k := Conn{Subflows: c.subs}
		if got := k.State(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if k.Fastclosed = true; k.State() != Fastclosed {
			t.Errorf("%s and MP_FASTCLOSE: %v", c.name, k.State())
		}
	}
}

// TestHalfOpen: when the handshake of a subflow counts as over.
func TestHalfOpen(t *testing.T) {
	for _, c := range []struct {
		name       string
		noSYN      bool
		state      subflow.State
		a, b, syns int64
		want       bool
	}{
		{"a SYN", false, subflow.Opening, 1, 0, 1, true},
		{"answered", false, subflow.Opening, 1, 1, 1, true},
		{"confirmed", false, subflow.Open, 2, 1, 1, false},
		{"seven packets", false, subflow.Opening, 6, 1, 6, true},
		{"eight packets", false, subflow.Opening, 6, 2, 6, false},
		{"ended", false, subflow.Refused, 1, 1, 1, false},
		{"no handshake, one end", true, subflow.Open, 7, 0, 0, true},
		{"no handshake, the other end", true, subflow.Open, 0, 7, 0, true},
		{"no handshake, one end sent many", true, subflow.Open, 8, 0, 0, false},
		{"no handshake, both ends", true, subflow.Open, 1, 1, 0, false},
	} {
		s := Subflow{NoSYN: c.noSYN}
		s.State, s.Senders[A].Packets, s.Senders[B].Packets, s.Senders[A].SYNs = c.state, c.a, c.b, c.syns
		assert.Check(t, s.halfOpen() == c.want, "%s: half-open %v", c.name, !c.want)
	}
}

// TestEvictRank: ended connections go first, then plain ones; half-open ones have a bound of their own.
func TestEvictRank(t *testing.T) {
	for want, c := range map[int][]Conn{
		0: {{live: 0, Kind: Multipath}, {live: 0}},
		1: {{live: 1, Kind: Plain}, {live: 1, Kind: Requested}},
		2: {{live: 1, Kind: Multipath}, {live: 1, links: [connListKinds]links[Conn]{listHalfOpen: {in: true}}}},
	} {
		for i := range c {
			if got := c[i].evictRank(); got != want {
				t.Errorf("%v with %d subflows: %d, want %d", c[i].Kind, c[i].live, got, want)
			}
		}
	}
}

// TestFINCopies: a DATA_FIN that comes again after 200 ms was repeated by a timer.
func TestFINCopies(t *testing.T) {
	var c Conn
	for _, at := range []time.Duration{time.Hour, time.Hour + 200*ms - 1, time.Hour + 400*ms - 1, time.Hour + 500*ms} {
		c.noteFIN(B, int64(at))
	}
	if got := c.FINCopies(B); got.Packets != 4 || got.Timeouts != 1 || c.FINCopies(A) != (FINCopies{}) {
		t.Errorf("%+v of B, %+v of A", got, c.FINCopies(A))
	}
}

// TestAnnounced: the time is that of the last mapping with new data.
func TestAnnounced(t *testing.T) {
	var c Conn
	for i, x := range []struct{ dsn, length, want int64 }{
		{1, 0, 0},      // nothing
		{1, 100, 101},  // up to 101
		{51, 50, 101},  // the same end
		{51, 51, 103},  // one byte more
		{1, 50, 103},   // again
		{200, 10, 105}, // beyond a gap
	} {
		c.noteAnnounced(B, seq.DSN(x.dsn), x.length, int64(100+i))
		if c.Announced != [2]int64{0, x.want} {
			t.Errorf("mapping %d: %v, want %d", i, c.Announced, x.want)
		}
	}
}

// TestSameMapping: each field of a mapping counts; the DATA_ACK beside it does not.
func TestSameMapping(t *testing.T) {
	base := mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSChecksum, DSN: 7, SSN: 8, Length: 9}
	for name, c := range map[string]struct {
		change func(d *mptcp.DSS)
		want   bool
	}{
		"nothing":    {func(*mptcp.DSS) {}, true},
		"DATA_ACK":   {func(d *mptcp.DSS) { d.Flags |= mptcp.DSSAck | mptcp.DSSAck8; d.DataAck = 5 }, true},
		"DSN":        {func(d *mptcp.DSS) { d.DSN++ }, false},
		"SSN":        {func(d *mptcp.DSS) { d.SSN++ }, false},
		"length":     {func(d *mptcp.DSS) { d.Length++ }, false},
		"F":          {func(d *mptcp.DSS) { d.Flags |= mptcp.DSSFin }, false},
		"width":      {func(d *mptcp.DSS) { d.Flags |= mptcp.DSSDSN8 }, false},
		"checksum":   {func(d *mptcp.DSS) { d.Flags &^= mptcp.DSSChecksum }, false},
		"no mapping": {func(d *mptcp.DSS) { d.Flags &^= mptcp.DSSMap }, false},
	} {
		other := base
		if c.change(&other); sameMapping(&base, &other) != c.want || sameMapping(&other, &base) != c.want {
			t.Errorf("%s differs: the same %v", name, !c.want)
		}
	}
}

// TestRoles: which end of a connection without a handshake listens.
func TestRoles(t *testing.T) {
	ports := func(src, dst uint16) key { return key{packet.Endpoint{Port: src}, packet.Endpoint{Port: dst}} }
	for _, c := range []struct {
		src, dst uint16
		want     Side // where A is the fallback; B where the ports do not tell
		tells    bool
	}{
		{1023, 1024, B, true},
		{1024, 1023, A, true},
		{80, 443, A, false},
		{32767, 32768, B, true},
		{32768, 32767, A, true},
		{1024, 32767, A, false},
		{32768, 65535, A, false},
		{80, 65535, B, true},
	} {
		k := ports(c.src, c.dst)
		if got := roleOf(k, A); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
		if got := roleOf(k, B); c.tells && got != c.want || !c.tells && got != B {
			t.Errorf("%+v, B by the first packet: %v", c, got)
		}
	}
	for _, c := range []struct {
		x, y key
		want Side
	}{
		{ports(5000, 6000), ports(5000, 6001), B},
		{ports(5000, 6000), ports(5001, 6000), A},
		{ports(5000, 80), ports(5000, 80), A}, // the ports tell
		{ports(80, 5000), ports(81, 5001), B},
	} {
		if got := roleOfTwo(c.x, c.y, A); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestRolesWithoutHandshake: of two subflows whose first packets are of the server, the end that has one
// port for both listens; of one subflow, the end whose port is below 32768, or else who sends second.
func TestRolesWithoutHandshake(t *testing.T) {
	for _, c := range []struct {
		server, clients []uint16
		want            Side // of the server
	}{
		{[]uint16{50_001, 50_001}, []uint16{44_000, 45_000}, B},
		{[]uint16{50_001, 50_001}, []uint16{50_002, 50_002}, A},
		{[]uint16{32_767}, []uint16{32_768}, B},
		{[]uint16{40_000}, []uint16{50_000}, A},
	} {
		var segs []packet.Segment
		for i := range 8 * len(c.server) { // of fewer packets the sender is A
			s, n := midStream(1, 1<<40+1000*uint64(i), 1<<50, true), i%len(c.server)
			s.Src.Port, s.Dst.Port = c.server[n], c.clients[n]
			s.Src.Addr[0], s.Dst.Addr[0], s.Time = byte(n), byte(n+2), int64(i)
			s.Seq, s.DSS.SSN = s.Seq+seq.Wire(1000*i), s.DSS.SSN+uint32(1000*i)
			segs = append(segs, s)
		}
		table, r := feed(segs)
		table.Finish()
		subs := r.only(t).c.Subflows
		assert.Assert(t, len(subs) == len(c.server), "%+v: %d subflows", c, len(subs))
		for i, s := range subs {
			assert.Check(t, s.Ends[c.want].Port == c.server[i] && s.Ends[c.want.Other()].Port == c.clients[i], "%+v: subflow %d has the ends %v", c, i, s.Ends)
		}
	}
}

// TestCountReset: RSTs are counted by reason and flag, of each end, up to a bound.
func TestCountReset(t *testing.T) {
	var s Subflow
	reset := func(reason uint8, transient bool) {
		s.countReset(B, &Facts{Reason: optionalByte(reason), Transient: tristateOf(transient)})
	}
	reset(3, true)
	reset(4, true)
	reset(3, false)
	reset(3, true)
	s.countReset(B, &Facts{}) // without MP_TCPRST
	want := []ResetCount{{3, true, 2}, {4, true, 1}, {3, false, 1}}
	if d := cmp.Diff(want, s.Resets(B)); d != "" || len(s.Resets(A)) != 0 {
		t.Errorf("%v of A; of B (-want +got):\n%s", s.Resets(A), d)
	}
	for i := range uint8(20) {
		reset(10+i, false)
	}
	if n := len(s.Resets(B)); n != maxResetCounts {
		t.Errorf("%d reasons", n)
	}
}

// TestWarningsList: a warning has the first packet of its kind, and those without one come last.
func TestWarningsList(t *testing.T) {
	var w Warnings
	for _, x := range []Warning{{"none", "", 0, 1}, {"b", "", 9, 1}, {"a", "", 7, 2}, {"b", "", 5, 3}, {"b", "", 8, 1}} {
		w.add(x)
	}
	w.lost = 4
	w.seen = directions{alone: [2]int64{1, 2}, both: 3}
	list := w.List()
	for i := range list {
		list[i].Message = ""
	}
	assert.Check(t, is.DeepEqual(list, []Warning{{"b", "", 5, 5}, {"a", "", 7, 2}, {"none", "", 0, 1}, {OneDirection, "", 0, 3}, {"capture_lost_packets", "", 0, 4}}))
	if w.seen.both++; len((&w).List()) != 4 {
		t.Error("three connections of seven are not half of them")
	}
}

// TestChecksumsInUse: what tells whether checksums are in use.
func TestChecksumsInUse(t *testing.T) {
	seen := Offer{Seen: true}
	for name, x := range map[string]struct {
		c            Conn
		inUse, known bool
	}{
		"nothing":           {Conn{}, false, false},
		"A asks":            {Conn{Hosts: [2]Host{A: {Checksum: true}}}, true, true},
		"B asks":            {Conn{Hosts: [2]Host{B: {Checksum: true}}}, true, true},
		"a checksum":        {Conn{mappingsSeen: withChecksum}, true, true},
		"none in a mapping": {Conn{mappingsSeen: withoutChecksum}, false, true},
		"SYN and SYN/ACK":   {Conn{Offers: [3]Offer{OfferSYN: seen, OfferSYNACK: seen}}, false, true},
		"SYN/ACK and third": {Conn{Offers: [3]Offer{OfferSYNACK: seen, OfferThird: seen}}, false, true},
		"SYN and third":     {Conn{Offers: [3]Offer{OfferSYN: seen, OfferThird: seen}}, false, false},
		"SYN/ACK alone":     {Conn{Offers: [3]Offer{OfferSYNACK: seen}}, false, false},
	} {
		if inUse, known := x.c.Checksums(); inUse != x.inUse || known != x.known {
			t.Errorf("%s: in use %v, known %v", name, inUse, known)
		}
	}
}

// TestMostSent: packets are cut by the MSS of the other end if that is one of a real host.
func TestMostSent(t *testing.T) {
	for mss, want := range map[uint16]uint32{87: 1<<32 - 1, 88: 88, 1460: 1460} {
		table := NewTable(Options{})
		s := syn(101, 1)
		s.Have, s.MSS = packet.HasMSS, mss
		table.Segment(&s)
		answer := back(s, packet.SYN|packet.ACK)
		answer.Have = 0
		table.Segment(&answer)
		d := &table.open.first.Subflows[0].dirs[B]
		assert.Check(t, d.mostSent == want, "MSS %d: B sends %d at most, want %d", mss, d.mostSent, want)
		for extra, super := range map[uint32]bool{0: false, 1: true} {
			x := packet.Segment{PayloadLen: want - 12 + extra, OptLen: 12, Flags: packet.ACK}
			if want < 1<<32-1 && (d.isSuper(&x) != super || d.isSuper(&packet.Segment{PayloadLen: 9000, Flags: packet.SYN}) || d.isSuper(&packet.Segment{PayloadLen: 9000, Flags: packet.RST})) {
				t.Errorf("MSS %d, %d bytes of payload and 12 of options: several segments %v", mss, x.PayloadLen, !super)
			}
		}
	}
}

// TestForgotten: a table that forgets a 4-tuple within two maximum segment lifetimes says so, but not at
// the end of the capture.
func TestForgotten(t *testing.T) {
	table := NewTable(Options{})
	remember := func(n int) {
		s := syn(n, 0)
		table.rememberFlow(key{s.Src, s.Dst}, false, n)
	}
	for n := range maxTimeWait {
		remember(n)
	}
	for _, c := range []struct {
		now   int64
		atEnd bool
		want  int64 // warnings so far
	}{{0, false, 1}, {twoMSL - 1, false, 2}, {twoMSL, false, 2}, {0, true, 2}} {
		table.now, table.atEnd = c.now, c.atEnd
		if remember(1<<20 + int(c.now) + int(c.want)); warnings(table)["forgotten"] != c.want {
			t.Errorf("at %d, the end %v: %d warnings, want %d", c.now, c.atEnd, warnings(table)["forgotten"], c.want)
		}
	}
}

// TestForgetSubflow: later packets of a subflow are stragglers, unless only its SYN was captured. Those of
// one that was given up while it was open are known as such.
func TestForgetSubflow(t *testing.T) {
	for name, c := range map[string]struct {
		ended, noSYN, answered bool
		early, known           bool
	}{
		"a SYN":                {},
		"ended":                {ended: true, known: true},
		"open":                 {answered: true, known: true, early: true},
		"open without its SYN": {noSYN: true, known: true, early: true},
	} {
		table, k := openConn(t)
		s := k.Subflows[0]
		if s.NoSYN = c.noSYN; !c.answered {
			s.Senders[A].Packets = s.Senders[A].SYNs
		}
		tuple := key{s.Ends[B], s.Ends[A]}
		table.forgetSubflow(s, c.ended)
		if early, known := table.timeWait.has(tuple, table.now); early != c.early || known != c.known || table.flows[tuple.ordered()] != nil {
			t.Errorf("%s: known %v, early %v", name, known, early)
		}
	}
}

// TestFull: how many subflows a connection may have.
func TestFull(t *testing.T) {
	for _, c := range []struct {
		live, noSYN   int32
		all           int
		full, forJoin bool // for a flow without a handshake, and for a join
	}{
		{1023, 63, 8191, false, false},
		{1024, 0, 1024, true, true},
		{1, 0, 8192, true, true},
		{64, 64, 64, true, false},
	} {
		k := Conn{live: c.live, subflowsNoSYN: c.noSYN, Subflows: make([]*Subflow, c.all)}
		if k.isFullFor(&pendingFlow{}) != c.full || k.isFullFor(&pendingFlow{joins: true}) != c.forJoin || k.isFull() != c.forJoin {
			t.Errorf("%+v: full %v, for a join %v", c, k.isFullFor(&pendingFlow{}), k.isFull())
		}
	}
}

// TestWithdraw: an address is withdrawn of the subflows that use it and have not ended, once. The
// initial one has the id 0, whatever it is said to be (RFC 8684, Section 3.2).
func TestWithdraw(t *testing.T) {
	sub := func(joined bool, id int, state subflow.State, at int64) *Subflow {
		s := &Subflow{Joined: joined, AddressID: [2]int{A: 9, B: id}, withdrawnAt: [2]int64{B: at}}
		s.State = state
		return s
	}
	c := Conn{Subflows: []*Subflow{
		sub(false, -1, subflow.Open, 0), sub(true, 3, subflow.Open, 0), sub(true, 3, subflow.Closed, 0), sub(true, 3, subflow.Open, 50), sub(true, 4, subflow.Open, 0),
	}}
	c.withdraw(B, 3, 70)
	c.withdraw(B, 0, 80)
	for i, want := range []int64{80, 70, 0, 50, 0} {
		if s := c.Subflows[i]; s.withdrawnAt != [2]int64{B: want} || s.withdrawn() != (want > 0) {
			t.Errorf("subflow %d: %v, want %d", i, s.withdrawnAt, want)
		}
	}
}

// TestSilentEnd: a subflow whose end sent nothing since its address was withdrawn ended by that.
func TestSilentEnd(t *testing.T) {
	for _, c := range []struct {
		after int64 // when the address of B was withdrawn, since B's latest packet
		cause string
		want  string
	}{{0, "", CausedByRemoveAddr}, {-1, "", ""}, {0, "FIN", "FIN"}} {
		_, k := openConn(t)
		s := k.Subflows[0]
		s.CloseCause, s.withdrawnAt[B] = c.cause, s.Senders[B].Last()+c.after
		if k.explainSilentEnds(); s.CloseCause != c.want {
			t.Errorf("%+v: %q", c, s.CloseCause)
		}
	}
}
