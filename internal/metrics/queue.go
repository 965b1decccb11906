package metrics

import "mpanalyze/internal/stats"

// holQueue is the head-of-line queue (FED23): at the receiver what has arrived
// and is not DATA_ACKed, at the sender what a subflow acknowledged and no
// DATA_ACK does. It weighs by time, from the first to the last data segment;
// at the sender from the first acknowledgment on, before which it cannot know
// of any data that waits.
type holQueue struct {
	Bytes    stats.Dist
	Segments stats.Dist

	level    holLevel
	bytes    *int64 // where the level stands, in the space of the data
	segments *int64
	begun    bool
	since    int64     // when the level was reached
	lastData int64     // time of the latest data segment
	tail     []holStep // levels left since then; bounded by maxTail
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

// watch fixes what is counted, which depends on the capture's place.
func (q *holQueue) watch(d *Dir) {
	sp := d.space
	if q.bytes, q.segments = &sp.WaitingBytes, &sp.WaitingUnits; d.role == Sender {
		q.bytes, q.segments = &sp.AckedBytes, &sp.AckedUnits
	}
}

// moved reports whether the level is another one than at the latest look.
func (q *holQueue) moved() bool { return *q.bytes != q.level.bytes || *q.segments != q.level.segments }

// begin starts the queue's time.
func (q *holQueue) begin(now int64) {
	q.begun, q.since, q.level = true, now, holLevel{*q.bytes, *q.segments}
}

// carried takes a data segment in the time that is looked at. Away from the
// sender the first one begins the queue's time.
func (q *holQueue) carried(d *Dir, now int64) {
	if !q.begun {
		if d.role == Sender {
			return
		}
		q.begin(now)
	}
	q.lastData = now
	if len(q.tail) > 0 {
		q.commit()
	}
}

// covered takes an acknowledgment on a subflow, of which the sender's first
// begins the queue's time.
func (q *holQueue) covered(d *Dir, now int64) {
	if d.role == Sender && d.looked.holds(now) {
		q.begin(now)
	}
}

// move notes another level.
func (q *holQueue) move(d *Dir, now int64) {
	if !q.begun {
		return
	}
	q.leave(now)
	q.level = holLevel{*q.bytes, *q.segments}
	if d.m.series && (d.role == Sender || d.role == Receiver) {
		d.out.emit(SeriesHoLQueue, now, float64(q.level.bytes))
	}
}

// leave ends the present level.
func (q *holQueue) leave(now int64) {
	from, to := q.since, max(q.since, now)
	q.since = to
	switch {
	case to <= q.lastData:
		q.count(q.level, to-from)
	case len(q.tail) < maxTail:
		q.tail = append(q.tail, holStep{q.level, from, to})
	default:
		q.commit()
		q.count(q.level, to-from)
	}
}

// commit counts the steps that turn out to lie before a data segment.
func (q *holQueue) commit() {
	for i := range q.tail {
		s := &q.tail[i]
		q.count(s.holLevel, s.to-s.from)
	}
	q.tail = q.tail[:0]
}

// count enters a level that was held for some time, ns; one without duration
// still counts for the extremes.
func (q *holQueue) count(level holLevel, held int64) {
	w := 1e-3
	if held > 0 {
		w = float64(held)
	}
	q.Bytes.AddWeighted(float64(level.bytes), w)
	q.Segments.AddWeighted(float64(level.segments), w)
}

// close counts up to the last data segment.
func (q *holQueue) close() {
	if !q.begun {
		return
	}
	q.tail = append(q.tail, holStep{q.level, q.since, max(q.since, q.lastData)})
	for _, s := range q.tail {
		if s.from <= q.lastData {
			q.count(s.holLevel, min(s.to, q.lastData)-s.from)
		}
	}
	q.tail = nil
}
