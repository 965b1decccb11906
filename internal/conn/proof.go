package conn

import (
	"math/bits"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// wireDSN is a data sequence number as on the wire.
type wireDSN struct {
	value uint64
	wide  bool // 8 octets
	ok    bool
}

const (
	proofBits   = 40      // chance agreement of less than 2^-40 is proof
	maxDistance = 1 << 28 // between numbers of one space at about the same time
)

// noteNumbers takes the numbers of a packet.
func (o *pendingFlow) noteNumbers(k key, s *packet.Segment) {
	if s.Have&packet.HasDSS == 0 {
		return
	}
	way := 0
	if o.key != k {
		way = 1
	}
	d := &s.DSS
	if d.Has(mptcp.DSSMap) && d.Length > 0 {
		o.latest[way][way] = wireDSN{d.DSN, d.Has(mptcp.DSSDSN8), true}
	}
	if d.Has(mptcp.DSSAck) {
		o.latest[1-way][way] = wireDSN{d.DataAck, d.Has(mptcp.DSSAck8), true}
	}
}

// agrees returns how improbable it is, in bits, that the orphan's numbers lie so
// near to those that the spaces of a connection have come to by chance, if the
// first packet came from side s. The numbers of one space depend on each other,
// so only the best of them counts.
func (o *pendingFlow) agrees(at [2]wireDSN, s Side) (total int) {
	for way := range o.latest {
		best := 0
		for _, n := range o.latest[way] {
			bits, ok := near(n, at[s^Side(way)])
			if !ok {
				return 0 // a number that lies elsewhere disproves it
			}
			best = max(best, bits)
		}
		total += best
	}
	return total
}

// near returns the bits of agreement between a number and what a space has come
// to; ok is false where they disagree.
func near(n, at wireDSN) (score int, ok bool) {
	if !n.ok || !at.ok {
		return 0, true
	}
	return agreement(n, at)
}

// agreement returns in how many bits two numbers of one space agree; ok is
// false where they are too far apart to be of one space.
func agreement(a, b wireDSN) (score int, ok bool) {
	width, d := 32, int64(int32(uint32(a.value)-uint32(b.value)))
	if a.wide && b.wide {
		width, d = 64, int64(a.value-b.value)
	}
	if d >= maxDistance || d <= -maxDistance {
		return 0, false
	}
	return width - 1 - bits.Len64(uint64(max(d, -d))), true
}

// withToken returns the first of the other orphans with the token of an orphan's
// MP_JOIN, nil where none has it.
func (t *Table) withToken(o *pendingFlow) *pendingFlow {
	if o.join == nil {
		return nil
	}
	for _, other := range t.pendingFlows {
		if other != o && other.join != nil && other.join.Token == o.join.Token {
			return other
		}
	}
	return nil
}

// followsJoin reports whether a join waits that began before the orphan and may
// belong to the same connection, as far as its numbers are known.
func (t *Table) followsJoin(o *pendingFlow) bool {
	for _, other := range t.pendingFlows {
		if other.join == nil || other.held[0].Num >= o.held[0].Num || o.join != nil && o.join.Token != other.join.Token {
			continue
		}
		for _, s := range []Side{A, B} {
			if _, ok := o.agreesWith(other, s); ok {
				return true
			}
		}
	}
	return false
}

// agreesWith is agrees for another orphan, whose first packet came from A; ok
// is false where a number disproves it.
func (o *pendingFlow) agreesWith(other *pendingFlow, s Side) (total int, ok bool) {
	for way := range o.latest {
		best := 0
		for _, a := range o.latest[way] {
			for _, b := range other.latest[way^int(s)] {
				if !a.ok || !b.ok {
					continue
				}
				bits, ok := agreement(a, b)
				if !ok {
					return 0, false
				}
				best = max(best, bits)
			}
		}
		total += best
	}
	return total, true
}

// version guesses the protocol version of a connection without a handshake
// from the packet that tells most.
func (o *pendingFlow) version() uint8 {
	version, weight := versionOf(&o.held[0])
	for i := range o.held {
		if v, w := versionOf(&o.held[i]); w > weight {
			version, weight = v, w
		}
	}
	return version
}

// versionOf guesses the protocol version from one packet: MP_CAPABLE tells it,
// MP_TCPRST is of version 1, ADD_ADDR differs, and only version 1 has 8-octet
// numbers as a rule (Linux). The greater weight is the surer sign.
func versionOf(s *packet.Segment) (version uint8, weight int) {
	version = 1
	if s.Have&packet.HasDSS != 0 {
		if s.DSS.Has(mptcp.DSSMap|mptcp.DSSDSN8) || s.DSS.Has(mptcp.DSSAck|mptcp.DSSAck8) {
			weight = 2
		} else if s.DSS.Flags&(mptcp.DSSMap|mptcp.DSSAck) != 0 {
			version, weight = 0, 1
		}
	}
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		var a mptcp.AddAddr
		var c mptcp.Capable
		switch {
		case sub == mptcp.SubCapable && mptcp.ParseCapable(opt, &c) == nil:
			version, weight = c.Version, 4
		case weight > 3:
		case sub == mptcp.SubAddAddr && mptcp.ParseAddAddr(opt, &a) == nil:
			version, weight = a.Version, 3
		case sub == mptcp.SubTCPRST:
			version, weight = 1, 3
		}
		return true
	})
	return version, weight
}
