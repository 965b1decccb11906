package dss

import (
	"math"

	"mpanalyze/internal/seq"
)

// Mapping says which data a part of a subflow's stream carries: the byte at SSN.Start
// is DSN, the next one DSN+1, and so on (RFC 8684, Section 3.3.1).
type Mapping struct {
	SSN    seq.Range[seq.SSN] // up to NoEnd where the subflow has fallen back (RFC 8684, Section 3.7)
	DSN    seq.DSN
	Packet uint64 // number of the packet that announced it first

	check *check // computes its checksum; nil if it has none or the checksum is right, failed if it is wrong
}

// failed is the check of mappings whose checksum is wrong.
var failed = new(check)

// bad reports whether its checksum is wrong.
func (m *Mapping) bad() bool { return m.check == failed }

// infinite reports whether it has no end.
func (m *Mapping) infinite() bool { return m.SSN.End == NoEnd }

// at returns the data position of p.
func (m *Mapping) at(p seq.SSN) seq.DSN { return m.DSN + seq.DSN(p-m.SSN.Start) }

// data returns the data positions of r.
func (m *Mapping) data(r seq.Range[seq.SSN]) seq.Range[seq.DSN] {
	return seq.Range[seq.DSN]{Start: m.at(r.Start), End: m.at(r.End)}
}

// Verdict says what a mapping adds to those announced before it.
type Verdict uint8

// The verdicts.
const (
	NewMapping         Verdict = iota // covers positions that no mapping covered
	RepeatedMapping                   // covers only positions that are mapped to the same data already
	ConflictingMapping                // maps positions to other data than an earlier mapping, which stays
)

// mappings are the mappings of one subflow that may still be needed, in ascending order
// of their subflow positions and without overlap.
//
// The list is bounded: mappings more than keepBehind below the subflow's
// acknowledgments are dropped, and at maxMappings the oldest quarter is dropped. A
// single mapping across many holes may double the list for a short time.
type mappings struct {
	list  seq.List[Mapping] // may still hold mappings below floor: see drop
	floor seq.SSN           // mappings that end at or below it are not needed; 0 where there are none
	hint  seq.Place         // the place that the latest search found; may be out of date
}

const (
	// keepBehind leaves room for a late retransmission of acknowledged data.
	keepBehind  = 256 << 10
	maxMappings = 16384
)

// NoEnd is the end of an infinite mapping, and the position of noMapping.
const NoEnd = math.MaxInt64

var noMapping = Mapping{SSN: seq.Range[seq.SSN]{Start: NoEnd, End: NoEnd}}

// at returns the mapping at a place, or noMapping.
func (ms *mappings) at(place seq.Place) *Mapping {
	if m := ms.list.At(place); m != nil {
		return m
	}
	return &noMapping
}

// newest returns the highest mapping, or noMapping.
func (ms *mappings) newest() *Mapping {
	ms.drop()
	if m := ms.list.Back(); m != nil {
		return m
	}
	return &noMapping
}

// add inserts the parts of m that no mapping covers. If it inserts all of m, whole is
// the inserted mapping, otherwise nil; it is valid until the next change.
func (ms *mappings) add(m *Mapping) (whole *Mapping, v Verdict) {
	if m.SSN.Empty() {
		return nil, RepeatedMapping
	}
	ms.drop()
	if n := ms.list.Len(); n >= maxMappings {
		ms.list.Pop(n - maxMappings*3/4)
	}
	if last := ms.list.Back(); last == nil || last.SSN.End <= m.SSN.Start {
		if ms.list.HasRoom() {
			whole = ms.list.PushInPlace()
		} else {
			ms.list.Compact()
			whole = ms.list.Push()
		}
		*whole = *m
		return whole, NewMapping
	}
	at := ms.find(m.SSN.Start)
	if m.SSN.End <= ms.at(at).SSN.Start { // no part of it is mapped
		return ms.list.At(ms.insert(at, m)), NewMapping
	}
	return nil, ms.merge(at, m)
}

// insert inserts m before the mapping at a place.
func (ms *mappings) insert(at seq.Place, m *Mapping) seq.Place {
	return ms.list.Insert(at-ms.list.Compact(), *m)
}

// merge inserts the parts of m that no mapping covers. place is that of the first
// mapping that ends above the start of m.
func (ms *mappings) merge(place seq.Place, m *Mapping) Verdict {
	verdict := RepeatedMapping
	for at := m.SSN.Start; at < m.SSN.End; place = ms.list.Next(place) {
		old := ms.at(place)
		if gap := (seq.Range[seq.SSN]{Start: at, End: min(old.SSN.Start, m.SSN.End)}); !gap.Empty() {
			place = ms.insert(place, &Mapping{SSN: gap, DSN: m.at(gap.Start), Packet: m.Packet})
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
func (ms *mappings) latest() *Mapping {
	ms.drop()
	return ms.at(ms.hint)
}

// find returns the place of the first mapping that ends above p. Nearly every search
// continues where the one before ended: payload comes at the newest end,
// acknowledgments follow at the oldest.
func (ms *mappings) find(p seq.SSN) seq.Place {
	ms.drop()
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

// dropBelow notes that the mappings that end at or below p are not needed any more.
func (ms *mappings) dropBelow(p seq.SSN) { ms.floor = max(ms.floor, p) }

// drop drops the mappings below floor. Every acknowledgment moves the floor, so only
// what searches the list, or needs its memory, calls drop.
func (ms *mappings) drop() {
	if ms.floor == 0 {
		return
	}
	for {
		run, n := ms.list.FirstSlice(), 0
		for n < len(run) && run[n].SSN.End <= ms.floor {
			n++
		}
		if n == 0 {
			break
		}
		ms.list.Pop(n)
	}
	ms.floor = 0
}

// shift moves every subflow position by delta.
func (ms *mappings) shift(delta seq.SSN) {
	ms.drop()
	for m := range ms.list.All() {
		m.SSN.Start += delta
		if !m.infinite() {
			m.SSN.End += delta
		}
	}
}

// Checksum holds the fields of an option that a mapping's checksum covers besides the
// payload, and its value.
type Checksum struct {
	DSN    uint64 // absolute
	SSN    uint32
	Length uint16 // data-level length, the DATA_FIN counted
	Value  uint16
}

// AddMapping takes a mapping of the payload bytes at m.SSN, from a DSS option or from
// an MP_CAPABLE with data. want is its checksum, nil for none. The checksum can only be
// computed where all of the mapping is new: then checking is true, and [Result.Checks]
// gives the result when all of the payload has passed. AddMapping adds to f the payload
// that waited for the mapping.
func (sp *Space) AddMapping(sub *SubflowSpace, m *Mapping, want *Checksum, f *Result) (v Verdict, checking bool) {
	whole, v := sub.maps.add(m)
	if want != nil && whole != nil {
		whole.check, checking = sp.newCheck(want, whole.SSN.Len()), true
	}
	if v == RepeatedMapping {
		return v, false
	}
	last := whole
	if last == nil || last.SSN.End < sub.lastEnd { // another one may be above it
		last = sub.maps.newest()
	}
	if last.SSN.End >= sub.lastEnd {
		sub.lastEnd, sub.lastDSN = last.SSN.End, last.at(last.SSN.End)
	}
	sub.mapped = true
	if sub.expected.ssn >= sub.expected.mappedTo { // otherwise data is still to come under the mapping before
		sub.expectUnder(last, m.SSN.Start)
	}
	if len(sub.pending) > 0 {
		sp.placePending(sub, m.SSN, f)
	}
	return v, checking
}

// AddImpliedMapping maps the rest of the subflow one to one from the end of its last
// mapping on. Payload without a mapping on the only subflow implies such an infinite
// mapping (RFC 8684, Section 3.7). Without any mapping the first byte of the subflow is
// the first of the data.
func (sp *Space) AddImpliedMapping(sub *SubflowSpace, packet uint64, f *Result) {
	if !sub.mapped {
		sub.lastEnd, sub.lastDSN = 1, 1
	}
	if !sp.hasOrigin {
		sp.setOrigin(0, false)
	}
	sp.AddMapping(sub, &Mapping{SSN: seq.Range[seq.SSN]{Start: sub.lastEnd, End: NoEnd}, DSN: sub.lastDSN, Packet: packet}, nil, f)
}

// InfiniteAt returns the data position of p; ok is false unless an infinite mapping
// covers p.
func (sub *SubflowSpace) InfiniteAt(p seq.SSN) (at seq.DSN, ok bool) {
	m := sub.maps.newest()
	if !m.infinite() || p < m.SSN.Start {
		return 0, false
	}
	return m.at(p), true
}
