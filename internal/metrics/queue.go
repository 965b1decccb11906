package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
)

// holQueue is the head-of-line queue (FED23): at the receiver what has arrived
// and is not DATA_ACKed, at the sender what a subflow acknowledged and no
// DATA_ACK does. It weighs by time, from the first to the last data segment.
type holQueue struct {
	Bytes    stats.Dist
	Segments stats.Dist

	begun    bool
	since    int64
	bytes    int64
	segments int64
	tail     []holStep // since the latest data segment; bounded by maxTail
}

// holStep is how long the queue stood at a level.
type holStep struct {
	bytes, segments int64
	ns              int64
}

// maxTail bounds the steps that wait to learn whether another data segment
// follows. At the bound they are counted as if it did.
const maxTail = 4096

// update notes the level after a packet.
func (q *holQueue) update(d *Dir, p *conn.Packet, now int64) {
	data := p.From == d.from && p.Seg.PayloadLen > 0
	if !q.begun && !q.begins(d, p, data) || now < d.skipUntil {
		return
	}
	sp := &d.m.Conn.Spaces[d.from]
	b, n := sp.WaitingBytes, sp.WaitingUnits
	if d.m.Role(d.from) == Sender {
		b, n = sp.AckedBytes, sp.AckedUnits
	}
	if !q.begun {
		q.begun, q.since, q.bytes, q.segments = true, now, b, n
		return
	}
	if data {
		q.commit()
	}
	if b == q.bytes && n == q.segments {
		if data && now > q.since {
			q.count(holStep{q.bytes, q.segments, now - q.since})
			q.since = now
		}
		return
	}
	step := holStep{q.bytes, q.segments, now - q.since}
	if data {
		q.count(step)
	} else if q.tail = append(q.tail, step); len(q.tail) >= maxTail {
		q.commit()
	}
	q.since, q.bytes, q.segments = max(q.since, now), b, n
}

// begins reports whether a packet starts the queue's time: the first data
// segment, and at the sender the first that is acknowledged, before which it
// cannot know of any that waits.
func (q *holQueue) begins(d *Dir, p *conn.Packet, data bool) bool {
	if d.m.Role(d.from) == Sender {
		return p.From != d.from && d.anchored && len(p.TCP.Ack.Covered) > 0
	}
	return data
}

// commit counts the steps up to the latest data segment.
func (q *holQueue) commit() {
	for _, s := range q.tail {
		q.count(s)
	}
	q.tail = q.tail[:0]
}

// count enters a step; one without duration still counts for the extremes.
func (q *holQueue) count(s holStep) {
	w := max(float64(s.ns), 1e-3)
	q.Bytes.AddWeighted(float64(s.bytes), w)
	q.Segments.AddWeighted(float64(s.segments), w)
}

func (q *holQueue) close() {
	if q.begun && q.Bytes.N() == 0 {
		q.count(holStep{q.bytes, q.segments, 0})
	}
	q.tail = nil
}
