package conn

import (
	"math/bits"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// wireDSN is a data sequence number as on the wire.
type wireDSN struct {
	value uint64
	wide  bool // of 8 bytes
	ok    bool
}

const (
	proofBits   = 40      // agreement is proof if the chance of it is below 2^-40
	maxDistance = 1 << 28 // between numbers of one space at about the same time
)

// noteNumbers takes the numbers of a packet.
func (pf *pendingFlow) noteNumbers(k key, s *packet.Segment) {
	if s.Have&packet.HasDSS == 0 {
		return
	}
	sender := 0
	if pf.key != k {
		sender = 1
	}
	d := &s.DSS
	if d.Has(mptcp.DSSMap) && d.Length > 0 {
		pf.latest[sender][sender] = wireDSN{d.DSN, d.Has(mptcp.DSSDSN8), true}
	}
	if d.Has(mptcp.DSSAck) {
		pf.latest[1-sender][sender] = wireDSN{d.DataAck, d.Has(mptcp.DSSAck8), true}
	}
}

// agreement returns in how many bits two numbers of one space agree; ok is false where
// they are too far apart.
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

// withToken returns the first other pending flow with the same token in its MP_JOIN,
// nil where there is none.
func (t *Table) withToken(pf *pendingFlow) *pendingFlow {
	if !pf.joins {
		return nil
	}
	for _, other := range t.pendingFlows {
		if other != pf && other.joins && other.token == pf.token {
			return other
		}
	}
	return nil
}

// followsJoin reports whether an earlier join is pending that may belong to the same
// connection, as far as its numbers are known.
func (t *Table) followsJoin(pf *pendingFlow) bool {
	for _, other := range t.pendingFlows {
		if !other.joins || other.held[0].Num >= pf.held[0].Num || pf.joins && pf.token != other.token {
			continue
		}
		for _, s := range []Side{A, B} {
			if _, ok := pf.agrees(&other.latest, s); ok {
				return true
			}
		}
	}
	return false
}

// agrees returns in bits how improbable it is that the flow's numbers are so near to others
// by chance, if side s sent the first packet of the flow. The others are those of a connection,
// or of another pending flow, whose first packet A sent, by the sender of the data. The numbers
// of one space depend on each other, so only the best of them counts. One number too far away
// is proof to the contrary; ok is false then.
func (pf *pendingFlow) agrees(others *[2][2]wireDSN, s Side) (total int, ok bool) {
	for sender := range pf.latest {
		best := 0
		for _, a := range pf.latest[sender] {
			for _, b := range others[sender^int(s)] {
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

// version guesses the protocol version of a connection without a handshake from the
// packet that says most about it.
func (pf *pendingFlow) version() uint8 {
	version, weight := versionOf(&pf.held[0])
	for i := range pf.held {
		if v, w := versionOf(&pf.held[i]); w > weight {
			version, weight = v, w
		}
	}
	return version
}

// versionOf guesses the protocol version from one packet. MP_CAPABLE has it, MP_TCPRST
// is of version 1, ADD_ADDR differs, and as a rule (Linux) only version 1 has 8-byte
// numbers. weight says how sure the guess is.
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
