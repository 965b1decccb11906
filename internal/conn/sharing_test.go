package conn

import (
	"bytes"
	"testing"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// shared is a capture in the making, and what its sharing says of each packet.
type shared struct {
	h   *Sharing
	seg packet.Segment
}

func (x *shared) give(at time.Duration, from, to byte, port uint16, flags packet.Flags, options ...[]byte) (int, bool) {
	s := &x.seg
	*s = packet.Segment{Time: int64(time.Hour + at), Flags: flags}
	s.Src.Addr[15], s.Src.Port, s.Dst.Addr[15], s.Dst.Port = from, port, to, port
	rare := bytes.Join(options, nil)
	s.RareLen = uint8(copy(s.Rare[:], rare))
	return x.again()
}

// again shares out the latest packet.
func (x *shared) again() (table int, ok bool) {
	var parts [2][]Given
	_, ok = x.h.Give([]packet.Segment{x.seg}, 0, &parts)
	x.h.Tick()
	return len(parts[1]), ok
}

// opens plays a handshake between two hosts, whose keys are their numbers, and
// returns the table.
func (x *shared) opens(t *testing.T, at time.Duration, client, server uint64) int {
	t.Helper()
	table, ok := x.give(at, byte(client), byte(server), 1, packet.SYN, capable(false, false, client, server))
	_, answered := x.give(at, byte(server), byte(client), 1, packet.SYN|packet.ACK, capable(true, false, server, client))
	_, third := x.give(at, byte(client), byte(server), 1, packet.ACK, capable(true, true, client, server))
	if !ok || !answered || !third {
		t.Fatalf("sharing ends with a usual handshake: %v, %v, %v", ok, answered, third)
	}
	return table
}

// capable returns an MP_CAPABLE option of version 1.
func capable(own, peer bool, key, peerKey uint64) []byte {
	o := mptcp.Capable{Version: 1, Flags: mptcp.CapableHMAC, SenderKey: key, ReceiverKey: peerKey}
	if own {
		o.Have |= mptcp.CapableHasSenderKey
	}
	if peer {
		o.Have |= mptcp.CapableHasReceiverKey
	}
	return o.Append(nil)
}

// joins returns an MP_JOIN option that names the host with a key.
func joins(key uint64) []byte {
	return (&mptcp.Join{Form: mptcp.JoinSYN, Token: mptcp.Token(1, key)}).Append(nil)
}

// TestSharing: two connections, of hosts 1 and 2 and of hosts 3 and 4, are
// given to two tables; then comes what each case says, at which sharing ends or
// does not. Silences are longer or shorter than what retire.go says.
func TestSharing(t *testing.T) {
	const syn, ack, fin, rst = packet.SYN, packet.ACK, packet.FIN | packet.ACK, packet.RST
	for _, tt := range []struct {
		what string
		then func(x *shared) bool
		ends bool
	}{
		{"a packet of a flow", func(x *shared) bool { _, ok := x.give(1, 1, 2, 1, ack); return ok }, false},
		{"another connection", func(x *shared) bool { _, ok := x.give(1, 5, 6, 1, syn); return ok }, false},
		{"a join", func(x *shared) bool {
			table, ok := x.give(1, 9, 4, 1, syn, joins(4))
			return ok && table == 1
		}, false},
		{"a join again", func(x *shared) bool {
			_, first := x.give(1, 9, 4, 1, syn, joins(4))
			_, again := x.give(2, 9, 4, 1, syn, joins(4))
			return first && again
		}, false},
		{"a join after a pause", func(x *shared) bool {
			_, ok := x.give(50*time.Second, 9, 4, 1, syn, joins(4))
			return ok
		}, false},
		{"a packet after an end and a pause", func(x *shared) bool {
			_, end := x.give(1, 3, 4, 1, fin)
			_, late := x.give(100*time.Second, 3, 4, 1, ack)
			return end && late
		}, false},
		{"a reset", func(x *shared) bool { _, ok := x.give(1, 1, 2, 1, rst); return ok }, false},

		{"a flow from the middle", func(x *shared) bool { _, ok := x.give(1, 5, 6, 1, ack); return ok }, true},
		{"a SYN/ACK of no SYN", func(x *shared) bool { _, ok := x.give(1, 5, 6, 1, syn|ack); return ok }, true},
		{"a join of no key", func(x *shared) bool { _, ok := x.give(1, 9, 4, 1, syn, joins(5)); return ok }, true},
		{"a join of the initiator", func(x *shared) bool { _, ok := x.give(1, 9, 3, 1, syn, joins(3)); return ok }, true},
		{"a join after an end and a pause", func(x *shared) bool {
			_, end := x.give(1, 3, 4, 1, fin)
			_, ok := x.give(6*time.Second, 9, 4, 1, syn, joins(4))
			return !end || ok
		}, true},
		{"a join after silence", func(x *shared) bool {
			_, ok := x.give(61*time.Second, 9, 4, 1, syn, joins(4))
			return ok
		}, true},
		{"a join on a flow of the other table", func(x *shared) bool {
			_, ok := x.give(1, 1, 2, 1, syn, joins(4))
			return ok
		}, true},
		{"a key again", func(x *shared) bool {
			_, first := x.give(1, 5, 6, 1, syn, capable(false, false, 5, 6))
			_, ok := x.give(1, 6, 5, 1, syn|ack, capable(true, false, 4, 5))
			return !first || ok
		}, true},
		{"a join after the port was used again", func(x *shared) bool {
			_, first := x.give(1, 4, 3, 1, syn)
			_, ok := x.give(2, 9, 4, 1, syn, joins(4))
			return !first || ok
		}, true},
		{"a clock set back", func(x *shared) bool { _, ok := x.give(-1, 1, 2, 1, ack); return ok }, true},
		{"a packet that its table may have forgotten", func(x *shared) bool {
			_, end := x.give(1, 3, 4, 1, fin)
			_, late := x.give(100*time.Second, 3, 4, 1, ack)
			_, ok := x.give(241*time.Second, 3, 4, 1, ack)
			return !end || !late || ok
		}, true},
		{"cut options", func(x *shared) bool {
			x.seg.Have, x.seg.Flags, x.seg.RareLen = packet.OptionsCut, ack, 0
			_, ok := x.again()
			return ok
		}, true},
		{"too many flows", func(x *shared) bool {
			for port := range uint16(maxShared - 3) {
				if _, ok := x.give(1, 5, 6, port, syn); !ok {
					return true
				}
			}
			_, ok := x.give(1, 5, 7, 1, syn)
			return ok
		}, true},
		{"a second with fewer packets than pay for a sweep", func(x *shared) bool {
			for port := range uint16(30) {
				if _, ok := x.give(1, 5, 6, port, syn); !ok {
					return true
				}
			}
			_, first := x.give(2*time.Second, 1, 2, 1, ack)
			_, second := x.give(4*time.Second, 1, 2, 1, ack)
			return !first || second
		}, true},
	} {
		x := &shared{h: NewSharing()}
		if a, b := x.opens(t, 0, 1, 2), x.opens(t, 0, 3, 4); a != 0 || b != 1 {
			t.Fatalf("the connections go to the tables %d and %d, want 0 and 1", a, b)
		}
		if goesOn := tt.then(x); goesOn == tt.ends {
			t.Errorf("%s: sharing goes on: %v", tt.what, goesOn)
		}
	}
}
