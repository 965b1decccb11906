package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
)

// holQueue is the head-of-line queue (FED23): at the receiver what has arrived
// and is not DATA_ACKed, at the sender what a subflow acknowledged and no
// DATA_ACK does. It weighs by time, from the first to the last data segment;
// at the sender from the first acknowledgment on, before which it cannot know
// of any data that waits.
type holQueue struct {
	Bytes    stats.Dist
	Segments stats.Dist

	begun    bool
	level    holLevel
	since    int64     // when the level was reached
	lastData int64     // time of the latest data segment
	tail     []holStep // levels left since then; bounded by maxTail
	steps    rows      // of Bytes, Segments, and their weight
}

// holLevel is how much waits.
type holLevel struct{ bytes, segments int64 }

// holStep is a level and the time that it was held.
type holStep struct {
	holLevel
	from, to int64
}

// maxTail bounds the steps that wait to learn whether another data segment
// follows. At the bound they are counted as if it did.
const maxTail = 4096

// update notes the level after a packet.
func (q *holQueue) update(d *Dir, p *conn.Packet, now int64) {
	sp, role := d.space, d.role
	level := holLevel{sp.WaitingBytes, sp.WaitingUnits}
	if role == Sender {
		level = holLevel{sp.AckedBytes, sp.AckedUnits}
	}
	data := p.From == d.from && p.Seg.PayloadLen > 0 && d.looked.holds(now)
	if level == q.level && !data && q.begun {
		return
	}
	if !q.begun {
		if !d.looked.holds(now) || !q.begins(d, p, data) {
			return
		}
		q.begun, q.since, q.level = true, now, level
	}
	if data {
		q.lastData = now
		q.commit()
	}
	if level != q.level {
		q.leave(now)
		q.level = level
		if d.m.series && (role == Sender || role == Receiver) {
			d.m.emit(SeriesHoLQueue, nil, d.from, now, float64(level.bytes))
		}
	}
}

// begins reports whether a packet starts the queue's time.
func (q *holQueue) begins(d *Dir, p *conn.Packet, data bool) bool {
	if d.role == Sender {
		return p.From != d.from && d.anchored && len(p.TCP.Ack.Covered) > 0
	}
	return data
}

// leave ends the present level.
func (q *holQueue) leave(now int64) {
	step := holStep{q.level, q.since, max(q.since, now)}
	q.since = step.to
	switch {
	case step.to <= q.lastData:
		q.count(step)
	case len(q.tail) < maxTail:
		q.tail = append(q.tail, step)
	default:
		q.commit()
		q.count(step)
	}
}

// commit counts the steps that turn out to lie before a data segment.
func (q *holQueue) commit() {
	for _, s := range q.tail {
		q.count(s)
	}
	q.tail = q.tail[:0]
}

// count enters a step; one without duration still counts for the extremes.
func (q *holQueue) count(s holStep) {
	w := max(float64(s.to-s.from), 1e-3)
	if q.steps.add(float64(s.bytes), float64(s.segments), w, 0) {
		q.enter()
	}
}

func (q *holQueue) enter() { q.steps.enter(2, &q.Bytes, &q.Segments) }

// close counts up to the last data segment.
func (q *holQueue) close() {
	if !q.begun {
		return
	}
	q.tail = append(q.tail, holStep{q.level, q.since, max(q.since, q.lastData)})
	for _, s := range q.tail {
		if s.from <= q.lastData {
			s.to = min(s.to, q.lastData)
			q.count(s)
		}
	}
	q.tail = nil
	q.enter()
}
