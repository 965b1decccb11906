package conn

import (
	"math/rand/v2"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// chance makes random packets of flows between few hosts: handshakes, joins, data, ends,
// and sometimes anything.
type chance struct {
	*rand.Rand
	odd   int // one in so many packets is arbitrary
	slow  int // one in so many comes after a pause
	now   int64
	num   uint64
	flows []*chanced
}

type chanced struct {
	ends [2]packet.Endpoint
	next [2]seq.Wire
	step int
	key  uint64
	join bool
}

func (r *chance) flow() *chanced {
	f := &chanced{key: 2*r.num + 1, next: [2]seq.Wire{seq.Wire(r.Uint32()), seq.Wire(r.Uint32())}}
	for i := range f.ends {
		f.ends[i].Addr[15], f.ends[i].Port = byte(2*r.IntN(2)+i), uint16(r.IntN(40))
	}
	if r.IntN(3) == 0 {
		f.joins(r)
	}
	r.flows = append(r.flows, f)
	return f
}

// joins makes f a subflow of one of the latest connections if that one's handshake is over;
// rarely of any connection.
func (f *chanced) joins(r *chance) {
	if n := len(r.flows); n > 0 {
		other := r.flows[n-1-r.IntN(min(n, 8))]
		if odd := r.IntN(r.odd) == 0; odd || !other.join && other.step > 2 {
			f.join, f.key = !odd || r.IntN(2) == 0, other.key
		}
	}
}

func (r *chance) packet() packet.Segment {
	f := r.flows[max(0, len(r.flows)-1-r.IntN(8))]
	if r.IntN(12) == 0 {
		f = r.flow()
	}
	r.now += r.Int64N(int64(20 * time.Millisecond))
	if r.IntN(r.slow) == 0 {
		r.now += []int64{3e9, 7e9, 62e9, 130e9, 245e9}[r.IntN(5)]
	}
	r.num++
	s := packet.Segment{Num: r.num, Time: r.now, Flags: packet.ACK, Window: 1000}
	from, step := r.IntN(2), f.step
	f.step++
	if r.IntN(r.odd) == 0 {
		step = r.IntN(12)
		f.joins(r)
	}
	var option []byte
	switch {
	case step == 0:
		from, s.Flags = 0, packet.SYN
		if option = capable(false, false, f.key, 0); f.join {
			option = joins(f.key + 1)
		}
	case step == 1:
		from, s.Flags = 1, packet.SYN|packet.ACK
		if option = capable(true, false, f.key+1, 0); f.join {
			option = (&mptcp.Join{Form: mptcp.JoinSYNACK}).Append(nil)
		}
	case step == 2 && !f.join:
		from, option = 0, capable(true, true, f.key, f.key+1)
	case step > 8 && step < 12:
		s.Flags |= packet.FIN
	case r.IntN(80) == 0:
		s.Flags = packet.RST
	case !f.join || step > 3:
		s.Have, s.PayloadLen = packet.HasDSS, 10
		s.DSS = mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8, DSN: mptcp.IDSN(1, f.key+uint64(from)) + uint64(step), SSN: uint32(step), Length: 10}
	}
	s.Src, s.Dst, s.Seq, s.Ack = f.ends[from], f.ends[1-from], f.next[from], f.next[1-from]
	f.next[from] = s.End()
	s.OtherLen = uint8(copy(s.Other[:], option))
	return s
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
