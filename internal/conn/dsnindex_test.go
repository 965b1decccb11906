package conn

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// midStream returns a packet with data in the middle of a connection on the n-th
// 4-tuple: a mapping of 1000 bytes from dsn on, and a DATA_ACK.
func midStream(n int, dsn, ack uint64, wide bool) packet.Segment {
	s := syn(n, int64(n))
	s.Flags, s.PayloadLen, s.Ack, s.Window = packet.ACK, 1000, 1, 1000
	s.Have = packet.HasDSS
	s.DSS = mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSAck, DSN: dsn, SSN: 1, Length: 1000, DataAck: ack}
	if wide {
		s.DSS.Flags |= mptcp.DSSDSN8 | mptcp.DSSAck8
	} else {
		s.DSS.DSN, s.DSS.DataAck = uint64(uint32(dsn)), uint64(uint32(ack))
	}
	return s
}

// The beginning of thousands of connections was not captured. Each gets its second subflow
// by numbers of either length, with few comparisons.
func TestNumbersAmongMany(t *testing.T) {
	for name, wide := range map[string]bool{"8 bytes": true, "4 bytes": false} {
		t.Run(name, func(t *testing.T) {
			table := NewTable(Options{})
			r := rand.New(rand.NewPCG(1, 2))
			const n = maxOpen / 2
			var dsn, ack [n]uint64
			for i := range n {
				dsn[i], ack[i] = r.Uint64(), r.Uint64()
				s := midStream(i, dsn[i], ack[i], wide)
				table.Segment(&s)
				s.Src, s.Dst, s.PayloadLen = s.Dst, s.Src, 0
				s.DSS.Flags, s.DSS.DataAck = s.DSS.Flags&^mptcp.DSSMap, s.DSS.DSN+1000
				table.Segment(&s) // otherwise it is half-open
			}
			before := table.dsnIndex.compared
			for i := range n {
				s := midStream(n+i, dsn[i]+1000, ack[i]+100, wide)
				table.Segment(&s)
			}
			if per := float64(table.dsnIndex.compared-before) / n; per > 32 {
				t.Errorf("%.1f spaces compared with each pending flow", per)
			}
			table.Finish()
			assert.Check(t, table.nextID == n, "%d connections, want %d", table.nextID, n)
		})
	}
}

// Packets whose numbers belong to no connection cost few comparisons, whether the numbers
// are random, all near each other, or agree in one direction only.
func TestPendingFlowsBelongNowhere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, numbers := range map[string]func(i int) (dsn, ack uint64){
		"random":                func(int) (uint64, uint64) { return r.Uint64(), r.Uint64() },
		"near each other":       func(i int) (uint64, uint64) { return 1<<40 + uint64(i), 1<<50 + uint64(i) },
		"near in one direction": func(i int) (uint64, uint64) { return 1<<40 + uint64(i), r.Uint64() },
	} {
		t.Run(name, func(t *testing.T) {
			table := NewTable(Options{})
			const n = maxOpen
			for i := range n {
				dsn, ack := numbers(i)
				s := midStream(i, dsn, ack, true)
				table.Segment(&s)
			}
			if per := float64(table.dsnIndex.compared) / n; per > 3*maxCandidates {
				t.Errorf("%.1f spaces compared with each packet", per)
			}
			if table.dsnIndex.lists == nil {
				t.Error("no pending flow was looked for")
			}
			table.Finish()
			assert.Check(t, len(table.dsnIndex.lists) == 0, "%d lists are left of connections that have ended", len(table.dsnIndex.lists))
		})
	}
}

// A space that has moved far since it was listed is found at its new place.
func TestNumbersMove(t *testing.T) {
	table := NewTable(Options{})
	const dsn, ack = 1 << 40, 1 << 50
	n := 0
	send := func(tuple int, dsn uint64) {
		s := midStream(tuple, dsn, ack, true)
		n++
		s.Num, s.Time = uint64(n), int64(n)
		table.Segment(&s)
	}
	send(0, dsn)
	for i := range maxHeldPackets {
		s := midStream(0, dsn, ack, true)
		s.Num, s.Time, s.Seq = uint64(i+1), int64(i+1), 1+1000*seq.Wire(i)
		s.DSS.SSN, s.DSS.DSN = uint32(1+1000*i), dsn+uint64(i)<<27
		table.Segment(&s)
	}
	assert.Assert(t, table.open.n == 1, "%d connections", table.open.n)
	at := nextDSN(&table.open.first.Spaces[A])
	send(1, at.value)
	assert.Check(t, len(table.open.first.Subflows) == 2, "what has come to %#x is not found any more", at.value)
}
