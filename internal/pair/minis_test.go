package pair

import "testing"

// TestRepeatedACKs: two equal ACKs arrive 10 ms after they were sent, and the
// capture at the sender misses the first one. IP identifications tell them
// apart where earlier packets kept theirs; where the path rewrites them, or
// there are none, the first arrival is taken for the second packet.
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
			m.take(ackKey{position: uint64(100 + n)}, c.id(false, n+1), int64(n), true)
			if sent, ok := m.take(ackKey{position: uint64(100 + n)}, c.id(true, n+1), int64(n)+10, false); !ok || sent != int64(n) {
				t.Errorf("%s: packet %d was sent at %d, %v", c.name, n, sent, ok)
			}
		}
		m.take(key, c.id(true, 20), lost+10, false)
		if _, ok := m.take(key, c.id(false, 21), second, true); ok == c.unpaired {
			t.Errorf("%s: the second packet has a counterpart before it arrives: %v", c.name, ok)
		}
		sent, ok := m.take(key, c.id(true, 21), second+10, false)
		if ok != c.unpaired || ok && sent != second {
			t.Errorf("%s: the second arrival was sent at %d, %v", c.name, sent, ok)
		}
	}
}

// TestSameIDFirst: two equal ACKs wait. The arrival that bears the second one's
// IP identification is that one's, also where the path kept none so far, and
// another arrival is the oldest's.
func TestSameIDFirst(t *testing.T) {
	key := ackKey{7, 7}
	m := pureAcks{ids: new(idTally)}
	m.take(key, 20, 100, true)
	m.take(key, 21, 200, true)
	m.take(key, 22, 300, true)
	if sent, ok := m.take(key, 21, 310, false); !ok || sent != 200 {
		t.Errorf("the arrival with the second's identification was sent at %d, %v", sent, ok)
	}
	m.ids.kept, m.ids.lost = 0, 1 // the path rewrites them
	if sent, ok := m.take(key, 99, 320, false); !ok || sent != 100 {
		t.Errorf("one with another identification was sent at %d, %v", sent, ok)
	}
}
