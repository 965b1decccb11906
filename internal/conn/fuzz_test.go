package conn

import (
	"encoding/binary"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// recipe is how many bytes of a fuzzing input make one segment.
const recipe = 12

// cook makes a segment from a few bytes: few ports and few numbers, so that flows, tokens
// and positions meet. Numbers are near their wraps.
func cook(b []byte, num uint64) packet.Segment {
	s := packet.Segment{Num: num, Time: int64(num)*1e6 + int64(b[0])*int64(b[1])*1e6}
	s.Src.Port, s.Dst.Port = uint16(b[2]&3), uint16(b[2]>>2&3)
	s.Flags = packet.Flags(b[3]) & (packet.FIN | packet.SYN | packet.RST | packet.ACK)
	s.Seq = seq.Wire(0xffffff00) + seq.Wire(binary.BigEndian.Uint16(b[4:]))
	s.Ack = seq.Wire(0xffffff00) + seq.Wire(binary.BigEndian.Uint16(b[5:]))
	s.PayloadLen = uint32(b[6]) << (b[3] >> 5 & 3)
	if b[3]&0x80 != 0 {
		s.SetPayload(make([]byte, int(s.PayloadLen)-int(s.PayloadLen)/3))
	}
	option(&s, b[7:])
	if b[2]&0x40 != 0 {
		s.NSACK = 1
		s.SACK[0] = packet.SACKBlock{Left: s.Ack + seq.Wire(b[8]), Right: s.Ack + seq.Wire(b[8]) + seq.Wire(b[9])}
	}
	if b[2]&0x80 != 0 {
		s.Have |= packet.OptionsCut
	}
	return s
}

// option gives s the option that five bytes describe.
func option(s *packet.Segment, b []byte) {
	small := uint64(b[1])
	var rare []byte
	switch b[0] & 15 {
	case 0, 1, 2, 3, 4: // DSS in all its forms
		s.Have |= packet.HasDSS
		s.DSS = mptcp.DSS{
			Flags: mptcp.DSSFlags(b[2])&0x1f | mptcp.DSSFlags(b[0])&0x80, DataAck: 1<<64 - 128 + small + uint64(b[3]),
			DSN: 1<<64 - 128 + small, SSN: uint32(b[3]), Length: uint16(b[4]), Checksum: uint16(b[3]),
		}
	case 5, 6:
		have := []mptcp.CapableParts{
			0, mptcp.CapableHasSenderKey, mptcp.CapableHasSenderKey | mptcp.CapableHasReceiverKey,
			mptcp.CapableHasSenderKey | mptcp.CapableHasReceiverKey | mptcp.CapableHasDataLen,
		}[b[2]&3]
		c := mptcp.Capable{Version: b[2] >> 2 & 1, Have: have, SenderKey: uint64(b[3] & 3), ReceiverKey: uint64(b[4] & 3), DataLen: uint16(small)}
		if b[2]&8 != 0 {
			c.Flags = mptcp.CapableChecksum
		}
		rare = c.Append(nil)
	case 7, 8:
		j := mptcp.Join{Form: []mptcp.JoinForm{mptcp.JoinSYN, mptcp.JoinSYNACK, mptcp.JoinACK}[b[2]%3], Nonce: uint32(small)}
		j.Token = mptcp.Token(b[3]&1, uint64(b[4]&3))
		rare = j.Append(nil)
	case 9:
		rare = (&mptcp.Fastclose{ReceiverKey: uint64(b[3] & 3)}).Append(nil)
	case 10:
		rare = []byte{30, 5, b[2], b[3], b[4]} // any subtype, mostly without a legal form
	}
	s.OtherLen = uint8(copy(s.Other[:], rare))
}

// checkTable checks what must be true of a table at any time.
func checkTable(t *testing.T, table *Table) {
	t.Helper()
	live, subflows := 0, 0
	for c := range table.open.all() {
		live++
		if c.aside == notAside {
			subflows += len(c.Subflows)
		}
		if half := c.live > 0 && c.Subflows[0].halfOpen(); c.finished || half != c.links[listHalfOpen].in && len(c.Subflows) == 1 || (c.live == 0) != (c.links[listEnded].in || c.links[listClosed].in) {
			t.Fatalf("connection %d: done %v, half-open %v, %d live subflows; lists say %v", c.Order, c.finished, half, c.live, c.links)
		}
		alive := 0
		for i, s := range c.Subflows {
			assert.Assert(t, s.ID == i && s.Conn == c, "subflow %d of connection %d says it is %d", i, c.Order, s.ID)
			if !s.ended {
				alive++
			}
		}
		assert.Assert(t, alive == int(c.live) && len(c.Subflows) != 0, "connection %d counts %d live subflows, has %d of %d", c.Order, c.live, alive, len(c.Subflows))
		for side := range c.Spaces {
			checkSpace(t, c, Side(side))
		}
	}
	if live != table.open.n || subflows != table.subflows {
		t.Fatalf("%d open connections counted as %d, %d subflows of those not set aside as %d", live, table.open.n, subflows, table.subflows)
	}
	held := 0
	for _, pf := range table.pendingFlows {
		held += pf.bytes
		assert.Assert(t, len(pf.held) != 0 && len(pf.held) <= maxHeldForJoin, "a pending flow of %d packets", len(pf.held))
	}
	if held != table.heldBytes || len(table.pendingFlows) > maxPendingFlows {
		t.Fatalf("%d pending flows hold %d bytes, counted as %d", len(table.pendingFlows), held, table.heldBytes)
	}
	for k, s := range table.flows {
		if s.Conn.finished || k != (key{s.Ends[A], s.Ends[B]}).ordered() {
			t.Fatal("a 4-tuple leads to another subflow")
		}
	}
}

// checkSpace checks what must be true of one direction of a connection.
func checkSpace(t *testing.T, c *Conn, side Side) {
	t.Helper()
	sp := &c.Spaces[side]
	var first int64
	for _, s := range c.Subflows {
		l := s.Spaces[side]
		first += l.FirstBytes
		if l.MappedUnique() != l.FirstBytes+l.ReinjectedBytes || l.ReinjectedSame > l.ReinjectedBytes || l.MappedBytes() < l.MappedUnique() {
			t.Fatalf("subflow %d: %d bytes mapped once of %d, %d first, %d reinjected, %d of them here",
				s.ID, l.MappedUnique(), l.MappedBytes(), l.FirstBytes, l.ReinjectedBytes, l.ReinjectedSame)
		}
	}
	if first != sp.AppBytes() || sp.OutstandingBytes < 0 || sp.OutstandingSegments < 0 || sp.SubflowAckedBytes < 0 || sp.SubflowAckedSegments < 0 {
		t.Fatalf("%d bytes first on subflows, %d in all; %d and %d wait, %d and %d are acknowledged",
			first, sp.AppBytes(), sp.OutstandingBytes, sp.OutstandingSegments, sp.SubflowAckedBytes, sp.SubflowAckedSegments)
	}
}

// once fails if a chunk is passed on twice, or if anything follows Close.
type once struct {
	Nop
	t      *testing.T
	c      *Conn
	closed bool
	seen   [2]seq.Set[seq.DSN]
}

func (o *once) Packet(p *Packet) {
	if o.closed || p.Conn != o.c {
		o.t.Fatal("a packet of another connection, or after its end")
	}
}

func (o *once) Settled(s *Subflow, from Side, run []dss.Chunk) {
	for i, c := range run {
		if o.closed || o.seen[from].Add(c.Data) != c.Data.Len() {
			o.t.Fatalf("chunk %v of subflow %d came twice, or after the end", c.Data, s.ID)
		}
		if i > 0 && c.Data.Start != run[i-1].Data.End {
			o.t.Fatalf("chunk %v does not continue %v", c.Data, run[i-1].Data)
		}
	}
}

func (o *once) Close(int64) {
	if o.closed {
		o.t.Fatal("closed twice")
	}
	o.closed = true
}

type onceModule struct {
	t    *testing.T
	list []*once
}

func (m *onceModule) Open(c *Conn) Observer {
	o := &once{t: m.t, c: c}
	m.list = append(m.list, o)
	return o
}

func FuzzTable(f *testing.F) {
	capable := func(port, flags, have byte) []byte {
		return []byte{0, 0, port, flags, 1, 0, 0, 5, 0, 4 | have, 1, 2}
	}
	hello := append(append(capable(1, 0x02, 0), capable(4, 0x12, 1)...), capable(1, 0x10, 2)...)
	f.Add(hello)
	f.Add(append(hello, 0, 0, 1, 0x10, 1, 1, 50, 0, 0x80, 0x0d, 1, 50, 0, 0, 4, 0x10, 0, 1, 0, 0, 0, 3, 50, 0))
	f.Add(append(hello, 0, 0, 2, 0x02, 9, 0, 0, 7, 5, 0, 1, 2))
	f.Add([]byte{0, 0, 1, 0x90, 1, 1, 50, 0, 0x80, 0x0d, 1, 50, 200, 200, 2, 0x90, 1, 1, 50, 0, 0x80, 0x0d, 51, 50})
	f.Fuzz(func(t *testing.T, script []byte) {
		m := &onceModule{t: t}
		table := NewTable(Options{}, m)
		for num := uint64(1); len(script) >= recipe && num < 2000; num++ {
			s := cook(script, num)
			script = script[recipe:]
			table.Segment(&s)
			if num%16 == 0 {
				checkTable(t, table)
			}
		}
		checkTable(t, table)
		table.Finish()
		for _, o := range m.list {
			assert.Assert(t, o.closed, "a connection was never closed")
		}
		if len(table.flows)+len(table.tokens)+table.open.n != 0 {
			t.Fatalf("%d flows, %d tokens, %d connections left", len(table.flows), len(table.tokens), table.open.n)
		}
	})
}
