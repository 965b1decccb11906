package packets

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// carried is a range of a stream that one packet carried for the first time.
type carried struct {
	start, end int64
	packet     uint64
}

// inFlight knows which packets carried the data of a stream that is in flight, and the
// latest data that was acknowledged. The latter is needed in a capture at the receiver:
// there a copy passes long after the acknowledgment of the original.
type inFlight struct {
	list seq.List[carried] // ascending, disjoint; bounded by maxRuns
	una  int64             // all positions below are acknowledged
}

const (
	// maxRuns bounds the packets of one stream. At the bound the oldest is forgotten; a
	// copy of its data then has no original.
	maxRuns = 1 << 16
	// maxAllRuns bounds the packets of all streams: 50 MB.
	maxAllRuns = 1 << 21
	// keepAcked is how many acknowledged packets of a stream are kept.
	keepAcked = 4096
)

// add adds a range and returns by how much the list grew. If full is set, the list does not
// grow.
func (f *inFlight) add(r carried, full bool) int {
	before := f.list.Len()
	switch {
	case before >= maxRuns || before > 0 && full || before > keepAcked && f.list.At(f.list.Skip(f.list.First(), keepAcked)).end <= f.una:
		f.list.Pop(1)
	case full:
		return 0
	}
	f.list.Compact()
	if last := f.list.Back(); last == nil || last.end <= r.start {
		*f.list.Push() = r
	} else {
		f.list.Insert(f.find(r.start), r)
	}
	return f.list.Len() - before
}

// find returns the place of the first range that ends above p.
func (f *inFlight) find(p int64) seq.Place {
	return f.list.Search(func(r *carried) bool { return r.end > p })
}

// carriers appends the packets that carried any byte from start up to end.
func (f *inFlight) carriers(start, end int64, to []uint64) []uint64 {
	for r := range f.list.From(f.find(start)) {
		if r.start >= end {
			break
		}
		to = append(to, r.packet)
	}
	return to
}

// sentStream is the stream of one end of a subflow. It counts from the first sequence
// number that it saw, since the initial sequence number may become known later.
type sentStream struct {
	inFlight
	base  seq.Wire // sequence number of position 0
	begun bool
	next  int64 // position behind the latest data
}

// at returns the position of a sequence number.
func (s *sentStream) at(n seq.Wire) int64 {
	if !s.begun {
		s.base, s.begun = n, true
	}
	return int64(seq.Unwrap(n, s.base, seq.SSN(s.next)))
}

// originals sets the packets that carried the data of p for the first time, where p repeats
// data. It also adds the new data of p.
func (w *watcher) originals(p *conn.Packet, x *line) {
	for len(w.sent) <= p.DirIndex|1 {
		w.sent = append(w.sent, new(sentStream))
	}
	if own := w.sent[p.DirIndex^1]; p.TCP.Ack.Advanced {
		own.una = own.at(p.Seg.Ack)
	}
	if p.DataAckAdvanced {
		w.data[p.From.Other()].una = int64(p.DataAck)
	}
	x.retransmissionOf = distinct(w.retransmitted(p, x.retransmissionOf))
	x.reinjectionOf = distinct(w.reinjected(p, x.reinjectionOf))
}

// distinct sorts numbers and leaves each once.
func distinct(list []uint64) []uint64 {
	slices.Sort(list)
	return slices.Compact(list)
}

// retransmitted does this for data that p repeats on its subflow.
func (w *watcher) retransmitted(p *conn.Packet, to []uint64) []uint64 {
	sent, own := &p.TCP.Sent, w.sent[p.DirIndex]
	if sent.Stray || sent.Range.Empty() {
		return to
	}
	first := p.Seg.Seq
	if p.Seg.Flags.Has(packet.SYN) {
		first++
	}
	start := own.at(first)
	for i := range max(1, len(sent.Parts)) {
		part := subflow.Part{Range: sent.Range, Kind: subflow.New}
		if len(sent.Parts) > 0 {
			part = sent.Parts[i]
		}
		from := start + int64(part.Start-sent.Range.Start)
		if part.Kind != subflow.New {
			to = own.carriers(from, from+part.Len(), to)
			continue
		}
		own.next = max(own.next, from+part.Len())
		w.lines.add(&own.inFlight, carried{from, from + part.Len(), p.Seg.Num})
	}
	return to
}

// reinjected does this for data that p repeats on another subflow, or on the same one under
// another subflow sequence number.
func (w *watcher) reinjected(p *conn.Packet, to []uint64) []uint64 {
	own := &w.data[p.From]
	for i := range p.Pieces {
		switch x := &p.Pieces[i]; x.Kind {
		case dss.First:
			w.lines.add(own, carried{int64(x.Data.Start), int64(x.Data.End), x.Packet})
		case dss.Reinjection, dss.ReinjectedSame:
			to = own.carriers(int64(x.Data.Start), int64(x.Data.End), to)
		}
	}
	return to
}

// add adds a range within the bound of all streams.
func (l *Lines) add(f *inFlight, r carried) { l.runs += f.add(r, l.runs >= maxAllRuns) }
