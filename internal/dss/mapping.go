package dss

import (
	"math"
	"slices"

	"mpanalyze/internal/seq"
)

// Mapping says which data a run of a subflow's stream carries: the octet at
// SSN.Start is DSN, the next one DSN+1, and so on (RFC 8684, Section 3.3.1).
type Mapping struct {
	SSN      seq.Range[seq.SSN]
	DSN      seq.DSN
	Packet   uint64 // number of the packet that announced it first
	Infinite bool   // without end: the subflow has fallen back (RFC 8684, Section 3.7)
	Bad      bool   // its checksum failed

	check *check // until the checksum is settled; nil without one
}

// at returns the data position of p.
func (m *Mapping) at(p seq.SSN) seq.DSN { return m.DSN + seq.DSN(p-m.SSN.Start) }

// Checked reports whether the mapping's checksum, if any, has been settled.
func (m *Mapping) Checked() bool { return m.check == nil }

// Verdict is what an announced mapping is to those before it.
type Verdict uint8

// The verdicts.
const (
	Fresh       Verdict = iota // covers positions that no mapping covered
	Repeated                   // says again what was known
	Contradicts                // gives other data to positions that were mapped; the earlier mapping holds
)

// mappings are those of one lane that may still be needed, in ascending order
// of their subflow positions and without overlap.
//
// Bound: what lies more than keepBehind below the subflow's acknowledgments is
// forgotten, and at maxMappings the oldest is.
type mappings struct{ list []Mapping }

const (
	// keepBehind leaves room for a late copy of data that was acknowledged.
	keepBehind  = 256 << 10
	maxMappings = 16384
)

// add enters m where it covers something new.
func (ms *mappings) add(m Mapping) Verdict {
	if m.Infinite {
		m.SSN.End = math.MaxInt64
	}
	n := len(ms.list)
	if n == 0 || ms.list[n-1].SSN.End <= m.SSN.Start {
		ms.append(m)
		return Fresh
	}
	return ms.merge(m)
}

func (ms *mappings) append(m Mapping) {
	if len(ms.list) >= maxMappings {
		ms.list = slices.Delete(ms.list, 0, maxMappings/4)
	}
	ms.list = append(ms.list, m)
}

// merge enters the parts of m that no mapping covers.
func (ms *mappings) merge(m Mapping) Verdict {
	verdict := Repeated
	at := m.SSN.Start
	for i := ms.find(at); at < m.SSN.End; i++ {
		if i == len(ms.list) || ms.list[i].SSN.Start > at {
			gap := seq.Range[seq.SSN]{Start: at, End: m.SSN.End}
			if i < len(ms.list) {
				gap.End = min(gap.End, ms.list[i].SSN.Start)
			}
			ms.insert(i, m, gap)
			at = gap.End
			if verdict == Repeated {
				verdict = Fresh
			}
			continue
		}
		old := &ms.list[i]
		if old.at(m.SSN.Start) != m.DSN {
			verdict = Contradicts
		}
		at = old.SSN.End
	}
	return verdict
}

// insert puts the part of m that lies in r before the i-th mapping.
func (ms *mappings) insert(i int, m Mapping, r seq.Range[seq.SSN]) {
	if r != m.SSN {
		m.check = nil // the checksum is that of the whole
	}
	m.DSN, m.SSN = m.at(r.Start), r
	ms.list = slices.Insert(ms.list, i, m)
}

// find returns the index of the first mapping that ends above p. Nearly every
// question is about the newest mappings.
func (ms *mappings) find(p seq.SSN) int {
	i := len(ms.list)
	for n := 0; i > 0 && ms.list[i-1].SSN.End > p; i-- {
		if n++; n > 8 {
			lo, hi := 0, i-1
			for lo < hi {
				mid := int(uint(lo+hi) >> 1)
				if ms.list[mid].SSN.End <= p {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			return lo
		}
	}
	return i
}

// dropBelow forgets the mappings that end at or below p.
func (ms *mappings) dropBelow(p seq.SSN) {
	n := 0
	for n < len(ms.list) && ms.list[n].SSN.End <= p {
		n++
	}
	if n > 32 || n == len(ms.list) { // moving the rest costs more than keeping a few
		ms.list = slices.Delete(ms.list, 0, n)
	}
}
