package metrics

import (
	"math"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// Order measures the order in which chunks pass: O3-DSN (REC16) over all of
// them, and reordering (RFC 4737) over those that pass for the first time.
type Order struct {
	Offset        stats.Dist  // DSN(k) - DSN(k-1), octets
	Peak          float64     // largest absolute offset
	Discontinuous int64       // chunks that do not continue the one before
	Chunks        int64       // chunks of any kind
	Firsts        int64       // chunks that passed for the first time
	Reordered     int64       // of these, those below the next expected octet
	ExtentChunks  stats.Dist  // RFC 4737, Section 4.2.2
	ExtentMS      stats.Dist  // Section 4.3
	ExtentBytes   stats.Dist  // Section 4.4
	NReordered    [maxN]int64 // Section 5.3; index n-1

	last    seq.Range[seq.DSN] // the latest chunk
	packet  uint64             // its packet
	next    seq.DSN            // next expected octet: above the highest seen
	records []record           // arrivals that raised next, while something below them is missing; bounded by maxRecords
	head    int
	starts  [maxN]seq.DSN // the latest first arrivals, a ring
}

// record is an arrival that was the highest so far.
type record struct {
	start seq.DSN
	index int64
	at    int64
}

const (
	maxN       = 16
	maxRecords = 1 << 15
)

// take takes one piece of payload. Pieces of one packet that continue each
// other are one chunk: they differ only in kind.
func (o *Order) take(d *Dir, p *dss.Piece, now int64) {
	if o.Chunks > 0 && p.Packet == o.packet && p.Data.Start == o.last.End {
		o.last.End = p.Data.End
		if p.Kind == dss.First {
			o.next = max(o.next, p.Data.End)
		}
		return
	}
	if o.Chunks > 0 {
		v := float64(p.Data.Start - o.last.Start)
		o.Offset.Add(v)
		if size := math.Abs(v); size > o.Peak {
			o.Peak = size
		}
		if p.Data.Start != o.last.End {
			o.Discontinuous++
		}
		d.m.emit(SeriesDSNOffset, nil, d.from, now, v)
	}
	o.Chunks++
	o.last, o.packet = p.Data, p.Packet
	if p.Kind == dss.First {
		o.first(d, p, now)
	}
}

// first takes a chunk that passes for the first time.
func (o *Order) first(d *Dir, p *dss.Piece, now int64) {
	sp := d.space
	if o.Firsts > 0 && p.Data.Start < o.next {
		o.late(sp, p, now)
	} else {
		if len(o.records)-o.head >= maxRecords {
			o.head++
		}
		if o.head > 256 && o.head > len(o.records)/2 {
			n := copy(o.records, o.records[o.head:])
			o.records, o.head = o.records[:n], 0
		}
		o.records = append(o.records, record{p.Data.Start, o.Firsts, now})
	}
	o.starts[o.Firsts%maxN] = p.Data.Start
	o.Firsts++
	o.next = max(o.next, p.Data.End)
	for o.head < len(o.records)-1 && o.records[o.head+1].start < sp.Edge() {
		o.head++
	}
}

// late takes a reordered chunk: j is the earliest arrival with a greater
// number.
func (o *Order) late(sp *dss.Space, p *dss.Piece, now int64) {
	o.Reordered++
	lo, hi := o.head, len(o.records)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if o.records[mid].start > p.Data.Start {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == len(o.records) {
		return
	}
	j := o.records[lo]
	o.ExtentChunks.Add(float64(o.Firsts - j.index))
	o.ExtentMS.Add(ms(now - j.at))
	o.ExtentBytes.Add(float64(sp.SeenAbove(p.Data.End)))
	for n := int64(1); n <= maxN && n <= o.Firsts && o.starts[(o.Firsts-n)%maxN] > p.Data.Start; n++ {
		o.NReordered[n-1]++
	}
}

func (o *Order) close() { o.records = nil }
