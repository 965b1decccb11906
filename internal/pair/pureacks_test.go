package pair

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestRepeatedACKs: two equal ACKs arrive 10 ms after they were sent, and the capture at
// the sender misses the first one. If earlier packets kept their IP identifications, these
// distinguish the two. If the path rewrites them, or there are none, the first arrival
// counts as the second packet.
func TestRepeatedACKs(t *testing.T) {
	const lost, second = 100, 300
	key := ackKey{7, 7}
	for _, c := range []struct {
		name     string
		id       func(arrived bool, n uint16) uint16
		unpaired bool
	}{
		{"kept", func(_ bool, n uint16) uint16 { return n }, true},
		{"rewritten", func(arrived bool, n uint16) uint16 {
			if arrived {
				return n + 1000
			}
			return n
		}, false},
		{"none", func(bool, uint16) uint16 { return 0 }, false},
	} {
		m := pureAcks{ids: new(idTally)}
		for n := range uint16(4) { // unlike packets, before
			m.match(ackKey{position: uint64(100 + n)}, c.id(false, n+1), int64(n), true)
			sent, ok := m.match(ackKey{position: uint64(100 + n)}, c.id(true, n+1), int64(n)+10, false)
			assert.Check(t, ok && sent == int64(n), "%s: packet %d was sent at %d, %v", c.name, n, sent, ok)
		}
		m.match(key, c.id(true, 20), lost+10, false)
		_, ok := m.match(key, c.id(false, 21), second, true)
		assert.Check(t, ok != c.unpaired, "%s: the second packet has a counterpart before it arrives: %v", c.name, ok)
		sent, ok := m.match(key, c.id(true, 21), second+10, false)
		assert.Check(t, ok == c.unpaired && (!ok || sent == second), "%s: the second arrival was sent at %d, %v", c.name, sent, ok)
	}
}

// TestSameIDFirst: two equal ACKs wait. An arrival with the IP identification of the second
// one belongs to that one, even if the path has kept none so far; another arrival belongs
// to the oldest.
func TestSameIDFirst(t *testing.T) {
	key := ackKey{7, 7}
	m := pureAcks{ids: new(idTally)}
	m.match(key, 20, 100, true)
	m.match(key, 21, 200, true)
	m.match(key, 22, 300, true)
	sent, ok := m.match(key, 21, 310, false)
	assert.Check(t, ok && sent == 200, "the arrival with the second's identification was sent at %d, %v", sent, ok)
	m.ids.kept, m.ids.changed = 0, 1 // the path rewrites them
	sent, ok = m.match(key, 99, 320, false)
	assert.Check(t, ok && sent == 100, "one with another identification was sent at %d, %v", sent, ok)
}

// TestAckKey: equal packets have the same key in captures whose numbers begin differently,
// and a difference in any field of the header gives different keys.
func TestAckKey(t *testing.T) {
	l := newTestLink()
	d := &l.dirs[conn.A]
	d.origin, d.reverse.origin[AtReceiver] = [2]seq.Wire{100, 5000}, 77
	seg := packet.Segment{Seq: 200, Ack: 300, SACK: [4]packet.SACKBlock{{Left: 400}}, TSVal: 5, TSEcr: 6, Have: packet.HasTimestamps, Window: 8, Flags: packet.ACK}
	other := seg
	other.Seq, other.Ack, other.SACK[0].Left = 5100, 377, 477
	here, there := d.ackKey(&seg, AtSender, 7), d.ackKey(&other, AtReceiver, 7)
	assert.Check(t, here == there, "%x in one capture, %x in the other", here, there)
	seen := map[ackKey]string{here: "the packet"}
	for name, change := range map[string]func(s *packet.Segment, data *uint32){
		"seq": func(s *packet.Segment, _ *uint32) { s.Seq++ }, "ack": func(s *packet.Segment, _ *uint32) { s.Ack++ }, "sack": func(s *packet.Segment, _ *uint32) { s.SACK[0].Left++ },
		"tsval": func(s *packet.Segment, _ *uint32) { s.TSVal++ }, "tsecr": func(s *packet.Segment, _ *uint32) { s.TSEcr++ }, "data": func(_ *packet.Segment, data *uint32) { *data++ },
		"window": func(s *packet.Segment, _ *uint32) { s.Window++ }, "flags": func(s *packet.Segment, _ *uint32) { s.Flags |= packet.FIN },
		"no timestamps": func(s *packet.Segment, _ *uint32) { s.Have = 0 }, "no sack": func(s *packet.Segment, _ *uint32) { s.SACK[0].Left = 0 },
	} {
		s := seg
		data := uint32(7)
		change(&s, &data)
		other, ok := seen[d.ackKey(&s, AtSender, data)]
		assert.Check(t, !ok, "%s looks like %s", name, other)
		seen[d.ackKey(&s, AtSender, data)] = name
	}
}

// TestAckQueue: packets that wait stay in their order, and the latest of them are kept,
// whichever are removed meanwhile.
func TestAckQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var q ackQueue
	var want []uint64
	for i := range uint64(20_000) {
		if len(want) == maxPureAcks {
			want = want[maxPureAcks/2:]
		}
		q.push(pureAck{key: ackKey{position: i}})
		want = append(want, i)
		for len(want) > 0 && r.IntN(4) > int(i/4000) { // fewer and fewer are found
			q.Pop(1)
			want = want[1:]
		}
	}
	got := make([]uint64, 0, maxPureAcks)
	for x := range q.All() {
		got = append(got, x.key.position)
	}
	assert.Check(t, is.DeepEqual(got, want))
}
