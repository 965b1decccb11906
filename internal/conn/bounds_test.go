package conn

import (
	"runtime"
	"testing"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// giver returns connections to the table as soon as they end.
type giver struct{}

func (giver) Open(c *Conn) Observer { return &given{c: c} }

type given struct {
	Nop
	c *Conn
}

func (g *given) Close(int64) { g.c.Recycle(nil) }

// session returns the packets of the n-th of many connections of one kind; n is also its
// time.
type session func(n int) []packet.Segment

// half is a SYN without an answer.
func half(n int) []packet.Segment {
	return []packet.Segment{withOption(syn(n, int64(n)), &mptcp.Capable{Have: mptcp.CapableHasSenderKey, SenderKey: uint64(n)})}
}

// halfTwice is a SYN that came twice without an answer.
func halfTwice(n int) []packet.Segment { return append(half(n), half(n)...) }

// established is a connection that has sent some data in both directions.
func established(n int) []packet.Segment {
	all := half(n)
	all = append(all, back(withOption(all[0], &mptcp.Capable{Have: mptcp.CapableHasSenderKey, SenderKey: uint64(n) + 1<<40}), packet.SYN|packet.ACK))
	for i := range uint32(2) {
		s := syn(n, int64(n))
		s.Seq, s.Flags, s.Ack, s.PayloadLen, s.Have, s.Window = 2, packet.ACK, 2, 100, packet.HasDSS, 1000
		s.DSS = mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8, DSN: mptcp.IDSN(0, uint64(n)+uint64(i)<<40) + 1, SSN: 1, Length: 100}
		if i == 1 {
			s = back(s, packet.ACK)
		}
		all = append(all, s)
	}
	return all
}

// endedByRST is a connection that RSTs end, without a DATA_FIN.
func endedByRST(n int) []packet.Segment {
	all := established(n)
	s := syn(n, int64(n))
	s.Flags, s.Seq = packet.RST, 102
	return append(all, s)
}

// closedByFIN is a connection whose subflow both ends close, without a DATA_FIN.
func closedByFIN(n int) []packet.Segment { return closing(n, established(n)) }

// closedTCP is a connection of plain TCP that both ends close.
func closedTCP(n int) []packet.Segment {
	all := []packet.Segment{syn(n, int64(n))}
	return closing(n, append(all, back(all[0], packet.SYN|packet.ACK)))
}

// closing appends a FIN of each end, after all that they sent, and the ACK of the last.
func closing(n int, all []packet.Segment) []packet.Segment {
	next := all[0].Seq + 1 + seq.Wire(all[len(all)-1].PayloadLen)
	s := syn(n, int64(n))
	s.Flags, s.Seq, s.Ack = packet.FIN|packet.ACK, next, next
	fin := back(s, packet.FIN|packet.ACK)
	s2 := s
	s2.Flags, s2.Seq, s2.Ack = packet.ACK, next+1, next+1
	return append(all, s, fin, s2)
}

// back returns the packet with its ends exchanged.
func back(s packet.Segment, flags packet.Flags) packet.Segment {
	s.Src, s.Dst, s.Flags, s.Ack = s.Dst, s.Src, flags, s.Seq+1
	return s
}

// The state of a connection has a limit in bytes.
func TestBytesOfConnections(t *testing.T) {
	const n = 500
	for _, c := range []struct {
		name string
		make session
		most uint64
		held func(*Table) int
	}{
		{"half-open", half, 5200, func(t *Table) int { return t.lone.n }},
		{"open and idle", established, 6000, func(t *Table) int { return t.open.n - t.halfOpen.n - t.ended.n }},
		{"ended, and waiting for joins", endedByRST, 6000, func(t *Table) int { return t.ended.n }},
	} {
		table := NewTable(Options{})
		before := heapAlloc()
		for i := range n {
			for _, s := range c.make(i + 100) { // from port 100 on: port 80 would be its own peer
				table.Segment(&s)
			}
		}
		got := (heapAlloc() - before) / n
		if got > c.most || c.held(table) != n {
			t.Errorf("%s: %d bytes for each of %d, want at most %d for each of %d", c.name, got, c.held(table), c.most, n)
		}
	}
}

func heapAlloc() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// However many connections there are, only so many are open at once, and a new one uses the
// memory of one that ended.
func TestNumbersOfConnections(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   session
		bound  int
		allocs float64 // for each connection, packets not counted
		code   string
	}{
		{"a SYN", half, maxWaitingSYNs, 4, "half_open"},
		{"half-open", halfTwice, maxHalfOpen, 5, "half_open"},
		{"open", established, maxOpen, 16, "evicted"},
		{"ended", endedByRST, maxEnded, 16, "ended_early"},
		{"closed", closedByFIN, maxClosed, 22, "ended_early"},
		{"plain TCP, closed", closedTCP, maxClosed, 16, ""},
	} {
		table := NewTable(Options{}, giver{})
		n := 100 // port 80 would be its own peer
		next := func() {
			n++
			for _, s := range c.make(n) {
				table.Segment(&s)
			}
		}
		for range c.bound {
			next()
		}
		if table.open.n != c.bound || len(warnings(table)) != 0 {
			t.Errorf("%s: %d connections held, want %d; %v", c.name, table.open.n, c.bound, warnings(table))
		}
		before := table.open.n
		packets := testing.AllocsPerRun(100, func() { c.make(n) })
		got := testing.AllocsPerRun(100, next) - packets
		if table.open.n != before || (warnings(table)[c.code] > 0) != (c.code != "") || got > c.allocs {
			t.Errorf("%s: %d connections held beyond the bound, want %d; %v; %v allocations for each, want at most %v",
				c.name, table.open.n, before, warnings(table), got, c.allocs)
		}
	}
}

// Joins to many connections are bounded by the number of all subflows, too.
func TestSubflowsOfAllConnections(t *testing.T) {
	table := NewTable(Options{})
	n, most := 0, 0
	for range 20 {
		n++
		all := established(n)
		for i := range all {
			table.Segment(&all[i])
		}
		token := mptcp.Token(0, uint64(n))
		for range maxSubflows - 1 {
			n++
			s := withOption(back(syn(n, int64(n)), packet.SYN), &mptcp.Join{Form: mptcp.JoinSYN, Token: token})
			table.Segment(&s)
			most = max(most, table.subflows)
		}
	}
	if most != maxOpen || warnings(table)["evicted"] == 0 || len(table.flows) != table.subflows {
		t.Errorf("%d subflows at most, want %d; %d 4-tuples of %d at the end; %v", most, maxOpen, len(table.flows), table.subflows, warnings(table))
	}
}

// TestSubflowsThatEnded: joins that are refused one after the other are subflows of their connection, however
// many they are up to maxEver. Of those that stay open maxSubflows are, the initial one among them. What
// is beyond either bound is plain TCP, with a warning.
func TestSubflowsThatEnded(t *testing.T) {
	for _, x := range []struct {
		name         string
		refused      bool
		joins, known int
	}{
		{"refused", true, maxSubflows + 100, 1 + maxSubflows + 100},
		{"refused, too many", true, maxEver + 100, maxEver},
		{"open", false, maxSubflows + 100, maxSubflows},
	} {
		t.Run(x.name, func(t *testing.T) {
			table := NewTable(Options{})
			all := established(1)
			for i := range all {
				table.Segment(&all[i])
			}
			c := table.open.last
			for n := 2; n < 2+x.joins; n++ {
				s := withOption(back(syn(n, int64(n)), packet.SYN), &mptcp.Join{Form: mptcp.JoinSYN, Token: mptcp.Token(0, 1)})
				table.Segment(&s)
				if x.refused {
					r := back(s, packet.RST|packet.ACK)
					r.Ack = s.Seq + 1
					table.Segment(&r)
				}
			}
			beyond := x.joins+1 > x.known
			if len(c.Subflows) != x.known || c.JoinsBeyond != beyond || (warnings(table)["subflow_limit"] > 0) != beyond {
				t.Errorf("%d subflows, want %d; joins beyond them: %v; warnings %v", len(c.Subflows), x.known, c.JoinsBeyond, warnings(table))
			}
		})
	}
}
