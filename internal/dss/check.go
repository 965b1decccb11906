package dss

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// check computes the checksum of one mapping (RFC 8684, Section 3.3.1) from payload
// that may come in any order and more than once. The ones' complement sum does not
// depend on the order of 16-bit words, so only a piece that starts at an odd position
// needs its bytes swapped.
type check struct {
	seen seq.Set[seq.SSN] // bounded by maxHoles
	sum  mptcp.Sum
	id   uint64
	odd  bool // an odd number of bytes was added to sum
	want uint16
	size int64 // bytes of payload under the mapping
}

// maxHoles bounds the separate pieces of a mapping that were added so far. A mapping is
// at most 64 KiB.
const maxHoles = 512

// maxSpareChecks bounds the checks that a space keeps to use them again.
const maxSpareChecks = 64

// CheckResult is the outcome of a mapping's checksum.
type CheckResult uint8

// The outcomes.
const (
	CheckPending CheckResult = iota // payload is still missing
	CheckValid
	CheckInvalid
	CheckImpossible // some payload was not captured whole
)

// Check is the result of a checksum.
type Check struct {
	ID     uint64
	Result CheckResult
	Packet uint64 // number of the packet that announced the mapping
	SSN    seq.SSN
	DSN    seq.DSN
}

// newCheck starts the checksum of a mapping with so many bytes of payload on the
// subflow.
func (sp *Space) newCheck(want *Checksum, payload int64) *check {
	var c *check
	if n := len(sp.spareChecks); n > 0 {
		c, sp.spareChecks = sp.spareChecks[n-1], sp.spareChecks[:n-1]
	} else {
		c = new(check)
	}
	sp.nextCheckID++
	c.seen.DropOldest(0) // keeps its memory
	*c = check{seen: c.seen, id: sp.nextCheckID, want: want.Value, size: payload}
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
	m.check = nil
	if result == CheckInvalid {
		m.check = failed
	}
	if len(sp.spareChecks) < maxSpareChecks {
		sp.spareChecks = append(sp.spareChecks, c)
	}
}

// add adds payload b, which stands at r of the mapping that begins at start.
func (c *check) add(start seq.SSN, r seq.Range[seq.SSN], b []byte) CheckResult {
	if int64(len(b)) < r.Len() || c.seen.Len() >= maxHoles {
		return CheckImpossible
	}
	c.seen.Missing(r, func(part seq.Range[seq.SSN]) bool {
		if odd := (part.Start-start)%2 != 0; odd != c.odd {
			c.sum.Add(zeroByte[:])
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

var zeroByte [1]byte
