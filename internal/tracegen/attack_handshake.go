package tracegen

import (
	"net/netip"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// handshakeAttacks are attacks by very many SYNs, joins and connections.
var handshakeAttacks = []Attack{
	{"SYNs of plain TCP", true, func(a *attacker, n int) {
		for i := range n {
			a.syn(host(i), nil)
		}
	}},
	{"SYNs with MP_CAPABLE", true, func(a *attacker, n int) {
		for i := range n {
			a.syn(host(i), capableSYN())
		}
	}},
	{"SYNs with MP_CAPABLE, a second apart", true, func(a *attacker, n int) {
		a.step = time.Second
		for i := range n {
			a.syn(host(i), capableSYN())
		}
	}},
	{"SYNs that are answered once", true, func(a *attacker, n int) {
		for i := range n {
			a.syn(host(i), capableSYN())
			c := mptcp.Capable{Version: 1, Flags: mptcp.CapableHMAC, Have: mptcp.CapableHasSenderKey, SenderKey: a.rand.Uint64()}
			a.send(Packet{Src: victim, Dst: host(i), Ack: 1, Flags: SYN | ACK, Options: c.Append(nil)})
		}
	}},
	{"joins with unknown tokens", true, func(a *attacker, n int) {
		for i := range n {
			a.syn(host(i), joinSYN(a.rand.Uint32(), a.rand.Uint32(), 2))
		}
	}},
	{"joins to one connection", true, func(a *attacker, n int) {
		l := a.open(0)
		for i := range n {
			a.syn(host(1+i), joinSYN(l.token(), a.rand.Uint32(), uint8(i)))
			if i%20 == 0 {
				l.more(1000)
				l.answer()
			}
		}
	}},
	{"subflows of one connection", true, func(a *attacker, n int) {
		l := a.open(0)
		for i := range n {
			from := l.join()
			l.send(Packet{Src: from, Dst: victim, Seq: 1, Ack: 1, Flags: ACK, Options: l.mapped(1, uint64(50*i), 50), PayloadLen: 50})
			l.send(Packet{Src: victim, Dst: from, Seq: 1, Ack: 51, Flags: ACK, Options: l.acked(uint64(50*i + 50))})
		}
	}},
	{"connections that stay open", true, func(a *attacker, n int) {
		var all []*line
		for i := range n {
			all = append(all, a.open(i))
		}
		for range 2 {
			for _, l := range all {
				l.more(500)
				l.answer()
			}
		}
	}},
	{"short connections", true, func(a *attacker, n int) {
		for i := range n {
			l := a.open(i)
			l.more(200)
			l.answer()
			a.send(Packet{Src: l.from, Dst: victim, Seq: 201, Ack: 1, Flags: RST})
		}
	}},
	{"a 4-tuple used again and again", true, func(a *attacker, n int) {
		for i := range n {
			a.syn(host(0), capableSYN())
			if i%2 == 1 {
				a.send(Packet{Src: host(0), Dst: victim, Seq: 1, Flags: RST | ACK})
			}
		}
	}},
	{"data without a handshake", true, func(a *attacker, n int) {
		for i := range n {
			a.orphan(i, a.rand.Uint64(), a.rand.Uint64())
		}
	}},
	{"data without a handshake, near that of a connection", true, func(a *attacker, n int) {
		l := a.open(0)
		for i := range n {
			if i%10 == 0 {
				l.more(1000)
			}
			a.orphan(1+i, l.data[0]+1<<19, l.data[1]+500)
		}
	}},
	{"addresses announced, removed and ranked", false, func(a *attacker, n int) {
		l := a.open(0)
		for i := range n {
			var b []byte
			switch i % 3 {
			case 0:
				x := mptcp.AddAddr{Version: 1, AddressID: uint8(i), Addr: netip.AddrFrom4([4]byte{10, uint8(i >> 16), uint8(i >> 8), uint8(i)})}
				b = x.Append(nil)
			case 1:
				x := mptcp.RemoveAddr{N: 1}
				x.List[0] = uint8(i)
				b = x.Append(nil)
			default:
				x := mptcp.Prio{Backup: i%2 == 0}
				b = x.Append(nil)
			}
			l.carry(1, 0, b)
		}
	}},
}

// orphan sends one packet with data of a connection that has no other packet.
func (a *attacker) orphan(i int, dsn, ack uint64) {
	d := mptcp.DSS{
		Flags: mptcp.DSSMap | mptcp.DSSDSN8 | mptcp.DSSAck | mptcp.DSSAck8, DSN: dsn, DataAck: ack, SSN: a.rand.Uint32(), Length: 800,
	}
	a.send(Packet{Src: host(i), Dst: victim, Seq: seq.Wire(a.rand.Uint32()), Ack: 1, Flags: ACK, Options: d.Append(nil), PayloadLen: 800})
}
