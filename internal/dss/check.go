package dss

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// check gathers the checksum of one mapping (RFC 8684, Section 3.3.1) from
// payload that may arrive in any order and more than once. The ones'
// complement sum does not care for the order of 16-bit words, so a piece that
// starts at an odd position only needs its octets swapped.
type check struct {
	seen seq.Set[seq.SSN] // bounded by maxHoles
	sum  mptcp.Sum
	id   uint64
	odd  bool // parity of what was added to sum
	want uint16
	size int64 // payload octets under the mapping
}

// maxHoles bounds the pieces of a mapping whose checksum is being gathered: a
// mapping is no longer than 64 KiB.
const maxHoles = 512

// maxSpare bounds the checks that a space keeps for its next mappings.
const maxSpare = 64

// CheckResult is the outcome of a mapping's checksum.
type CheckResult uint8

// The outcomes.
const (
	CheckPending CheckResult = iota // payload is still missing
	CheckValid
	CheckInvalid
	CheckImpossible // payload was not captured whole
)

// Check is a settled checksum.
type Check struct {
	ID     uint64
	Result CheckResult
	Packet uint64 // number of the packet that announced the mapping
	SSN    seq.SSN
	DSN    seq.DSN
}

// newCheck starts the checksum of a mapping of which payload octets travel on
// the subflow.
func (sp *Space) newCheck(want *Checksum, payload int64) *check {
	var c *check
	if n := len(sp.spare); n > 0 {
		c, sp.spare = sp.spare[n-1], sp.spare[:n-1]
	} else {
		c = new(check)
	}
	sp.nextID++
	c.seen.DropOldest(0) // its memory stays
	*c = check{seen: c.seen, id: sp.nextID, want: want.Value, size: payload}
	c.sum.PseudoHeader(want.DSN, want.SSN, want.Length)
	return c
}

// feed adds the payload of run to the checksum of m.
func (sp *Space) feed(m *Mapping, run seq.Range[seq.SSN], payload []byte, f *Result) {
	c := m.check
	result := c.add(m.SSN.Start, run, payload)
	if result == CheckPending {
		return
	}
	f.Checks = append(f.Checks, Check{ID: c.id, Result: result, Packet: m.Packet, SSN: m.SSN.Start, DSN: m.DSN})
	m.Bad = result == CheckInvalid
	m.check = nil
	if len(sp.spare) < maxSpare {
		sp.spare = append(sp.spare, c)
	}
}

// add adds payload b, the octets at r of the mapping that starts at start.
func (c *check) add(start seq.SSN, r seq.Range[seq.SSN], b []byte) CheckResult {
	if int64(len(b)) < r.Len() || c.seen.Len() >= maxHoles {
		return CheckImpossible
	}
	c.seen.Missing(r, func(part seq.Range[seq.SSN]) bool {
		if odd := (part.Start-start)%2 != 0; odd != c.odd {
			c.sum.Add(zero[:])
			c.odd = odd
		}
		piece := b[part.Start-r.Start : part.End-r.Start]
		c.sum.Add(piece)
		c.odd = c.odd != (len(piece)%2 != 0)
		return true
	})
	c.seen.Add(r)
	if c.seen.Size() < c.size {
		return CheckPending
	}
	if c.sum.Verify(c.want) {
		return CheckValid
	}
	return CheckInvalid
}

var zero [1]byte
