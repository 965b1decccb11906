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

// CheckResult is the outcome of a mapping's checksum.
type CheckResult uint8

// The outcomes.
const (
	CheckPending CheckResult = iota // payload is still missing
	CheckValid
	CheckInvalid
	CheckImpossible // payload was not captured whole
)

// newCheck starts the checksum of a mapping: dsn is absolute, length is the
// data-level length of the option, the DATA_FIN counted; payload is what of it
// travels on the subflow.
func newCheck(dsn uint64, ssn uint32, length, want uint16, payload int64) *check {
	c := &check{want: want, size: payload}
	c.sum.PseudoHeader(dsn, ssn, length)
	return c
}

// feed adds payload b, the octets at r of the mapping that starts at start.
func (c *check) feed(start seq.SSN, r seq.Range[seq.SSN], b []byte) CheckResult {
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
