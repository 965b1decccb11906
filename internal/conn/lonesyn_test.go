package conn

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// lonely returns a table and the list to which it reports SYNs without a following packet.
func lonely() (*Table, *recorder, *[]LoneSYN) {
	r, got := &recorder{}, &[]LoneSYN{}
	return NewTable(Options{LoneSYN: func(l *LoneSYN) { *got = append(*got, *l) }}, r), r, got
}

// SYNs of every usual kind wait, and are reported at the end, in their order.
func TestLoneSYNAtTheEnd(t *testing.T) {
	table, r, got := lonely()
	for i, s := range []packet.Segment{
		syn(101, 1),
		withOption(syn(102, 2), &mptcp.Capable{Version: 1}),
		withOption(syn(103, 3), &mptcp.Capable{Have: mptcp.CapableHasSenderKey, SenderKey: 7}),
		withOption(syn(104, 4), &mptcp.Join{Form: mptcp.JoinSYN, Token: 9, AddressID: 5, Backup: true}),
	} {
		if table.Segment(&s); table.open.n != 0 {
			t.Errorf("SYN %d made a connection", i)
		}
	}
	table.Passed(9)
	table.Finish()
	if len(*got) != 4 || len(r.conns) != 0 || len(table.tokens) != 0 || len(table.loneSYNs.at) != 0 {
		t.Fatalf("%+v; %d connections, %d tokens and %d SYNs are left", *got, len(r.conns), len(table.tokens), len(table.loneSYNs.at))
	}
	for i, want := range []LoneSYN{
		{Packet: 101, Time: 1, Until: 9, ID: -1},
		{Packet: 102, Time: 2, Until: 9, ID: -1, Order: 1, Offer: Offer{Seen: true, Version: 1}},
		{Packet: 103, Time: 3, Until: 9, ID: -1, Order: 2, Offer: Offer{Seen: true}},
		{Packet: 104, Time: 4, Until: 9, Order: 3, Token: 9, Joined: true, Backup: true, Address: 5},
	} {
		l := (*got)[i]
		if want.Ends = l.Ends; l != want || l.Ends[A].Port != uint16(l.Packet) {
			t.Errorf("%+v, want %+v", l, want)
		}
	}
}

// Some SYNs make a connection at once: with data, with options that cause a warning, with
// options that were cut off, after a step of the clock, or with a join to a known
// connection.
func TestNoLoneSYN(t *testing.T) {
	for name, change := range map[string]func(s *packet.Segment){
		"data":         func(s *packet.Segment) { s.PayloadLen = 1 },
		"Fast Open":    func(s *packet.Segment) { s.FastOpen.Form = packet.FastOpenExperimental },
		"cut":          func(s *packet.Segment) { s.Have |= packet.OptionsCut },
		"clock":        func(s *packet.Segment) { s.Have |= packet.ClockChanged },
		"a bad list":   func(s *packet.Segment) { s.Have |= packet.OptionsMalformed },
		"a bad option": func(s *packet.Segment) { s.Have |= packet.BadMPTCP },
		"unknown":      func(s *packet.Segment) { s.Have |= packet.OddMPTCP },
		"a DSS":        func(s *packet.Segment) { s.Have |= packet.HasDSS },
		"FIN":          func(s *packet.Segment) { s.Flags |= packet.FIN },
		"both keys": func(s *packet.Segment) {
			*s = withOption(*s, &mptcp.Capable{Have: mptcp.CapableHasSenderKey | mptcp.CapableHasReceiverKey})
		},
		"no legal form": func(s *packet.Segment) { s.OtherLen = uint8(copy(s.Other[:], []byte{mptcp.Kind, 5, 1, 1, 1})) },
		"version 2":     func(s *packet.Segment) { s.OtherLen = uint8(copy(s.Other[:], []byte{mptcp.Kind, 4, 2, 1})) },
		"two options": func(s *packet.Segment) {
			s.OtherLen = uint8(copy(s.Other[:], []byte{mptcp.Kind, 4, 1, 1, mptcp.Kind, 4, 1, 1}))
		},
		"join of a reply": func(s *packet.Segment) { *s = withOption(*s, &mptcp.Join{Form: mptcp.JoinSYNACK}) },
	} {
		table, r, got := lonely()
		s := syn(101, 1)
		change(&s)
		table.Segment(&s)
		if table.Finish(); len(r.conns) != 1 || len(*got) != 0 {
			t.Errorf("%s: %d connections, %d lone SYNs", name, len(r.conns), len(*got))
		}
	}
}

// The second packet of a 4-tuple, of either end, makes a connection of both; the SYN's time
// determines its number.
func TestLoneSYNIsFollowed(t *testing.T) {
	for name, second := range map[string]func(s packet.Segment) packet.Segment{
		"SYN again": func(s packet.Segment) packet.Segment { return s },
		"SYN/ACK":   func(s packet.Segment) packet.Segment { return back(s, packet.SYN|packet.ACK) },
		"RST":       func(s packet.Segment) packet.Segment { return back(s, packet.RST|packet.ACK) },
	} {
		table, r, got := lonely()
		before, s, after := syn(100, 1), syn(101, 2), syn(102, 3)
		next := second(s)
		next.Time = 4
		for _, p := range []*packet.Segment{&before, &s, &after, &next} {
			table.Segment(p)
		}
		table.Finish()
		if len(*got) != 2 || len(r.conns) != 1 {
			t.Fatalf("%s: %d lone SYNs, %d connections", name, len(*got), len(r.conns))
		}
		c := r.conns[0].c
		packets := c.Subflows[0].Senders[A].Packets + c.Subflows[0].Senders[B].Packets
		if c.Order != 1 || c.Start != 2 || packets != 2 || (*got)[0].Order != 0 || (*got)[1].Order != 2 {
			t.Errorf("%s: connection %d since %d of %d packets; %+v", name, c.Order, c.Start, packets, *got)
		}
	}
}

// A join finds the connection by a token that only a waiting SYN has shown.
func TestLoneSYNIsJoined(t *testing.T) {
	table, r, got := lonely()
	s := withOption(syn(101, 1), &mptcp.Capable{Have: mptcp.CapableHasSenderKey, SenderKey: 7})
	join := withOption(syn(102, 2), &mptcp.Join{Form: mptcp.JoinSYN, Token: mptcp.Token(0, 7)})
	table.Segment(&s)
	table.Segment(&join)
	table.Finish()
	if len(*got) != 0 || len(r.conns) != 1 || len(r.conns[0].c.Subflows) != 2 {
		t.Errorf("%d lone SYNs, %d connections, want 1 of two subflows", len(*got), len(r.conns))
	}
}

// At most so many SYNs wait, with or without tokens, in memory that is reused; beyond that
// the oldest is reported, and a warning says so.
func TestLoneSYNsAreBounded(t *testing.T) {
	for name, make := range map[string]func(n int) packet.Segment{
		"plain": func(n int) packet.Segment { return syn(n, int64(n)) },
		"key": func(n int) packet.Segment {
			return withOption(syn(n, int64(n)), &mptcp.Capable{Have: mptcp.CapableHasSenderKey, SenderKey: uint64(n)})
		},
		"join": func(n int) packet.Segment {
			return withOption(syn(n, int64(n)), &mptcp.Join{Form: mptcp.JoinSYN, Token: uint32(n)})
		},
	} {
		reported, first := 0, uint64(math.MaxUint64)
		table := NewTable(Options{LoneSYN: func(l *LoneSYN) { reported, first = reported+1, min(first, l.Packet) }})
		const n = maxWaitingSYNs + 500
		for i := range n {
			s := make(100 + i)
			table.Segment(&s)
		}
		x := &table.loneSYNs
		if len(x.at)+reported+len(table.pendingFlows) != n || len(x.at) != maxWaitingSYNs || x.n+len(x.spare) != maxWaitingSYNs || len(table.tokens) > maxWaitingSYNs || first != 100 {
			t.Errorf("%s: %d wait in %d places with %d tokens, %d were reported, the first is %d", name, len(x.at), x.n+len(x.spare), len(table.tokens), reported, first)
		}
		if got := warnings(table)["half_open"]; got != int64(reported) {
			t.Errorf("%s: warned of %d, %d were reported", name, got, reported)
		}
		if table.Finish(); reported != n || x.first != nil || x.last != nil {
			t.Errorf("%s: %d reported of %d", name, reported, n)
		}
	}
}

// A step of the clock concerns the SYNs that wait: they become connections then, as many as
// may be half-open.
func TestLoneSYNsAndTheClock(t *testing.T) {
	table, r, got := lonely()
	for i := range maxHalfOpen + 10 {
		s := syn(100+i, int64(i))
		table.Segment(&s)
	}
	s := syn(99, 1e6)
	s.Have, s.ClockSet = packet.ClockChanged, -5
	table.Segment(&s)
	if table.Finish(); len(*got) != 10 || len(r.conns) != maxHalfOpen+1 {
		t.Fatalf("%d lone SYNs, %d connections", len(*got), len(r.conns))
	}
	for _, c := range r.conns[:maxHalfOpen] {
		assert.Assert(t, c.c.ClockFault() != "", "connection %d knows nothing of the step", c.c.Order)
	}
}

// TestLoneSYNFigures: the connection that has a lone SYN for reports, in the memory of another one.
func TestLoneSYNFigures(t *testing.T) {
	ends := [2]packet.Endpoint{{Port: 5}, {Port: 6}}
	var c Conn
	join := LoneSYN{Time: 7, Until: 9, Ends: ends, Order: 3, ID: 4, Token: 11, Joined: true, Backup: true, Address: 8, Cooked: packet.Outgoing}
	join.FillConn(&c)
	sub := c.Subflows[0]
	if c.ID != 4 || c.Order != 3 || c.Start != 7 || c.Until != 9 || c.Kind != Multipath || c.Version != 1 || c.AskedMPTCP || c.Hosts != [2]Host{B: {Token: 11, HasToken: true}} {
		t.Errorf("connection of a join %+v", &c)
	}
	if !sub.Joined || sub.HMAC != HMACUnchecked || !sub.Backup || sub.BackupBy != [2]Tristate{Yes, Unset} || sub.AddressID != [2]int{8, -1} ||
		sub.Ends != ends || sub.Start != 7 || sub.SYN != 7 || sub.Last() != 7 || sub.Conn != &c {
		t.Errorf("subflow of a join %+v", sub)
	}
	if v, _ := c.Vantage(); v != AtA {
		t.Errorf("an outgoing SYN tells %v", v)
	}
	offer := LoneSYN{Time: 17, Ends: ends, ID: -1, Offer: Offer{Seen: true, Version: 2}, Vantage: AtB, Cooked: packet.Incoming}
	offer.FillConn(&c)
	if c.ID != -1 || c.Kind != Requested || c.Version != 1 || !c.AskedMPTCP || c.Hosts != [2]Host{} || c.Offers[OfferSYN] != offer.Offer || c.Start != 17 {
		t.Errorf("connection of an offer %+v", &c)
	}
	if sub := c.Subflows[0]; sub.Joined || sub.Backup || sub.HMAC != HMACNone || sub.AddressID != [2]int{-1, -1} {
		t.Errorf("subflow of an offer %+v", sub)
	}
	if v, why := c.Vantage(); v != AtB || why != "given" {
		t.Errorf("vantage %v (%s)", v, why)
	}
	(&LoneSYN{ID: -1}).FillConn(&c)
	if v, _ := c.Vantage(); c.Kind != Plain || c.AskedMPTCP || v != Unknown {
		t.Errorf("plain: %v, asked %v, %v", c.Kind, c.AskedMPTCP, v)
	}
}
