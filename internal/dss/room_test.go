package dss

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

// TestRoomAt has two mappings of 100 bytes each, of data from 1 and from 501 on. The second
// half of the first and the first half of the second were seen; a reinjection of data from
// 301 on follows.
func TestRoomAt(t *testing.T) {
	sp, sub := oneSubflow()
	for _, x := range []struct {
		ssn  seq.SSN
		dsn  seq.DSN
		from int
	}{{1, 1, 50}, {101, 501, 0}, {201, 301, 0}} {
		m := mapping(x.ssn, x.dsn, 100)
		m.Packet = uint64(x.ssn)
		sp.Map(sub, m, nil)
		sp.Carry(sub, segment(x.ssn+seq.SSN(x.from), 50, uint64(x.ssn)))
	}
	for _, c := range []struct {
		p    seq.DSN
		by   uint64
		room [2]seq.SSN
	}{
		{1, 1, [2]seq.SSN{0, 51}},
		{50, 1, [2]seq.SSN{0, 51}},
		{101, 0, [2]seq.SSN{101, 201}}, // between what was seen up to 100 and from 301 on
		{351, 0, [2]seq.SSN{251, 101}}, // of the reinjection, which is out of ascending order: not found, so no room
		{551, 101, [2]seq.SSN{0, 0}},   // nothing was seen above
		{601, 0, [2]seq.SSN{0, 0}},
	} {
		assert.Check(t, is.Equal(sub.MappingPacket(c.p), c.by), "data at %d was announced by packet", c.p)
		r := sub.RoomAt(c.p)
		assert.Check(t, r == (seq.Range[seq.SSN]{Start: c.room[0], End: c.room[1]}), "data at %d has room %v, want %v", c.p, r, c.room)
	}
}

// TestMappingPacketInfinite: an infinite mapping announces all later data.
func TestMappingPacketInfinite(t *testing.T) {
	sp, sub := oneSubflow()
	sp.Implied(sub, 7)
	assert.Check(t, is.Equal(sub.MappingPacket(1<<40), uint64(7)), "announced by packet")
}
