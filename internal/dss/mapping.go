package dss

import (
	"math"

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

// data returns the data positions of r.
func (m *Mapping) data(r seq.Range[seq.SSN]) seq.Range[seq.DSN] {
	return seq.Range[seq.DSN]{Start: m.at(r.Start), End: m.at(r.End)}
}

// Verdict is what an announced mapping is to those before it.
type Verdict uint8

// The verdicts.
const (
	NewMapping         Verdict = iota // covers positions that no mapping covered
	RepeatedMapping                   // says again what was known
	ConflictingMapping                // gives other data to positions that were mapped; the earlier mapping holds
)

// mappings are those of one lane that may still be needed, in ascending order
// of their subflow positions and without overlap.
//
// Bound: what lies more than keepBehind below the subflow's acknowledgments is
// forgotten, and at maxMappings the oldest quarter is. One announcement over
// many holes may double that for a moment.
type mappings struct {
	list seq.List[Mapping]
	hint seq.Place // what the latest search found; checked before use
}

const (
	// keepBehind leaves room for a late copy of data that was acknowledged.
	keepBehind  = 256 << 10
	maxMappings = 16384
)

// endless is the end of an infinite mapping, and where no mapping is.
const endless = math.MaxInt64

var none = Mapping{SSN: seq.Range[seq.SSN]{Start: endless, End: endless}}

// at returns the mapping at a place; behind the last, one at the end of all
// positions.
func (ms *mappings) at(place seq.Place) *Mapping {
	if m := ms.list.At(place); m != nil {
		return m
	}
	return &none
}

// newest returns the highest mapping.
func (ms *mappings) newest() *Mapping {
	if m := ms.list.Back(); m != nil {
		return m
	}
	return &none
}

// add enters m where it covers something new. Where that is all of it, whole
// is the mapping entered, valid until the next change.
func (ms *mappings) add(m Mapping) (whole *Mapping, v Verdict) {
	if m.SSN.Empty() {
		return nil, RepeatedMapping
	}
	if n := ms.list.Len(); n >= maxMappings {
		ms.list.Pop(n - maxMappings*3/4)
	}
	if last := ms.list.Back(); last == nil || last.SSN.End <= m.SSN.Start {
		ms.list.Compact()
		whole = ms.list.Push()
		*whole = m
		return whole, NewMapping
	}
	at := ms.find(m.SSN.Start)
	if m.SSN.End <= ms.at(at).SSN.Start { // nothing of it is mapped
		return ms.list.At(ms.enter(at, m)), NewMapping
	}
	return nil, ms.merge(at, m)
}

// enter inserts m before the mapping at a place.
func (ms *mappings) enter(at seq.Place, m Mapping) seq.Place {
	return ms.list.Insert(at-ms.list.Compact(), m)
}

// merge enters the parts of m that no mapping covers; place is that of the first
// mapping that ends above its start.
func (ms *mappings) merge(place seq.Place, m Mapping) Verdict {
	verdict := RepeatedMapping
	for at := m.SSN.Start; at < m.SSN.End; place = ms.list.Next(place) {
		old := ms.at(place)
		if gap := (seq.Range[seq.SSN]{Start: at, End: min(old.SSN.Start, m.SSN.End)}); !gap.Empty() {
			part := Mapping{SSN: gap, DSN: m.at(gap.Start), Packet: m.Packet, Infinite: gap.End == endless}
			place = ms.enter(place, part)
			at = gap.End
			if verdict == RepeatedMapping {
				verdict = NewMapping
			}
			continue
		}
		if old.at(m.SSN.Start) != m.DSN {
			verdict = ConflictingMapping
		}
		at = old.SSN.End
	}
	return verdict
}

// latest returns the mapping that the latest search found.
func (ms *mappings) latest() *Mapping { return ms.at(ms.hint) }

// find returns the place of the first mapping that ends above p. Nearly every
// question goes on from the one before: payload enters at the newest end,
// acknowledgments follow at the other.
func (ms *mappings) find(p seq.SSN) seq.Place {
	if last := ms.list.Back(); last == nil || last.SSN.End <= p {
		return ms.list.End()
	}
	if m := ms.list.At(ms.hint); m != nil && m.SSN.Start <= p {
		at := ms.hint
		if m.SSN.End <= p {
			at = ms.list.Next(at)
			m = ms.list.At(at)
		}
		if m != nil && m.SSN.End > p {
			ms.hint = at
			return at
		}
	}
	ms.hint = ms.list.Search(func(m *Mapping) bool { return m.SSN.End > p })
	return ms.hint
}

// dropBelow forgets the mappings that end at or below p.
func (ms *mappings) dropBelow(p seq.SSN) {
	for m := ms.list.Front(); m != nil && m.SSN.End <= p; m = ms.list.Front() {
		ms.list.Pop(1)
	}
}

// shift moves every subflow position by delta.
func (ms *mappings) shift(delta seq.SSN) {
	for m := range ms.list.All() {
		m.SSN.Start += delta
		if !m.Infinite {
			m.SSN.End += delta
		}
	}
}

// Checksum is what a mapping's checksum covers besides the payload, as the
// option says it.
type Checksum struct {
	DSN    uint64 // absolute
	SSN    uint32
	Length uint16 // data-level length, the DATA_FIN counted
	Value  uint16
}

// AddMapping takes the mapping of a DSS option, or of an MP_CAPABLE with data: of the
// payload octets at m.SSN. The checksum, nil for none, can be gathered where
// the mapping is new as a whole; then checking is true, and [Result.Checks] tells
// the outcome when all of the payload has passed. Payload that waited for the
// mapping is added to f.
func (sp *Space) AddMapping(l *SubflowSpace, m Mapping, want *Checksum, f *Result) (v Verdict, checking bool) {
	if m.Infinite {
		m.SSN.End = endless
	}
	whole, v := l.maps.add(m)
	if want != nil && whole != nil {
		whole.check, checking = sp.newCheck(want, whole.SSN.Len()), true
	}
	if v == ConflictingMapping {
		sp.Conflicts++
	}
	if v == RepeatedMapping {
		return v, false
	}
	if last := l.maps.newest(); last.SSN.End >= l.lastEnd {
		l.lastEnd, l.lastDSN = last.SSN.End, last.at(last.SSN.End)
	}
	l.mapped = true
	if l.onward.ssn >= l.onward.until { // else there is data to come under the mapping before
		l.goOn(m.SSN.Start)
	}
	sp.resolve(l, m.SSN, f)
	return v, checking
}

// AddImpliedMapping maps the rest of the lane one to one from the end of its last
// mapping on: the infinite mapping that unmapped payload on the only subflow
// implies (RFC 8684, Section 3.7). Without any mapping the streams begin
// together.
func (sp *Space) AddImpliedMapping(l *SubflowSpace, packet uint64, f *Result) {
	if !l.mapped {
		l.lastEnd, l.lastDSN = 1, 1
	}
	if !sp.known {
		sp.begin(0, false)
	}
	sp.AddMapping(l, Mapping{SSN: seq.Range[seq.SSN]{Start: l.lastEnd}, DSN: l.lastDSN, Packet: packet, Infinite: true}, nil, f)
}

// InfiniteAt returns the data position of p where an infinite mapping covers
// it.
func (l *SubflowSpace) InfiniteAt(p seq.SSN) (at seq.DSN, ok bool) {
	m := l.maps.newest()
	if !m.Infinite || p < m.SSN.Start {
		return 0, false
	}
	return m.at(p), true
}
