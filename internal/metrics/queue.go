package metrics

import (
	"slices"

	"mpanalyze/internal/stats"
)

// holQueue is the head-of-line queue (FED23): at the receiver what has arrived
// and is not DATA_ACKed, at the sender what a subflow acknowledged and no
// DATA_ACK does. It weighs by time, from the first to the last data segment;
// at the sender from the first acknowledgment on, before which it cannot know
// of any data that waits. The maximum is that of all instants, those after the
// last data segment included. A fallback to TCP ends both: no DATA_ACK covers
// what comes then.
type holQueue struct {
	Bytes    stats.Dist
	Segments stats.Dist

	level    holLevel
	peak     holLevel // largest level of either kind since the time began
	bytes    *int64   // where the level stands, in the space of the data
	segments *int64
	begun    bool
	over     bool      // by a fallback
	since    int64     // when the level was reached
	lastData int64     // time of the latest data segment
	from     int64     // when the first level of tail was reached
	tail     []holStep // levels left that are not counted yet; bounded by maxTail
	tallies  []tally   // by the number of segments; nil while the distributions are exact, bounded by maxTallies
}

// holLevel is how much waits.
type holLevel struct{ bytes, segments int64 }

// holStep is a level that was left.
type holStep struct {
	holLevel
	to int64 // ns; it begins where the one before ends
}

const (
	// batch is how many steps wait as a rule: one loop over them needs less
	// than as many calls.
	batch = 64
	// maxTail bounds the steps that wait to learn whether another data segment
	// follows. At the bound they are counted as if it did.
	maxTail = 4096
)

// watch fixes what is counted, which depends on the capture's place.
func (q *holQueue) watch(d *Dir) {
	sp := d.space
	if q.bytes, q.segments = &sp.OutstandingBytes, &sp.OutstandingSegments; d.role == Sender {
		q.bytes, q.segments = &sp.SubflowAckedBytes, &sp.SubflowAckedSegments
	}
}

// look notes the level if it is another one than at the latest look.
func (q *holQueue) look(d *Dir, now int64) {
	if l := (holLevel{*q.bytes, *q.segments}); l != q.level {
		q.move(d, l, now)
	}
}

// begin starts the queue's time.
func (q *holQueue) begin(d *Dir, now int64) {
	q.begun, q.from, q.since, q.level = true, now, now, holLevel{*q.bytes, *q.segments}
	q.peak = q.level
	q.emit(d, now)
}

// carried takes a data segment in the time that is looked at. Away from the
// sender the first one begins the queue's time.
func (q *holQueue) carried(d *Dir, now int64) {
	if !q.begun && d.role != Sender && !q.over {
		q.begin(d, now)
	}
	q.lastData = now
}

// covered takes an acknowledgment of payload on a subflow, of which the sender's
// first begins the queue's time.
func (q *holQueue) covered(d *Dir, now int64) {
	if d.role == Sender && d.looked.holds(now) && !q.over {
		q.begin(d, now)
	}
}

// move notes another level.
func (q *holQueue) move(d *Dir, l holLevel, now int64) {
	if !q.begun || !d.looked.holds(now) {
		return
	}
	q.since = max(q.since, now)
	if len(q.tail) == cap(q.tail) {
		q.makeRoom()
	}
	if len(q.tail) < cap(q.tail) { // known to the compiler, so that the append has no growth in it
		q.tail = append(q.tail, holStep{q.level, q.since})
	}
	q.level = l
	q.peak = holLevel{max(q.peak.bytes, l.bytes), max(q.peak.segments, l.segments)}
	q.emit(d, now)
}

// emit hands the level to the series.
func (q *holQueue) emit(d *Dir, now int64) {
	if d.series && (d.role == Sender || d.role == Receiver) {
		d.out.step(SeriesHoLQueue, now, float64(q.level.bytes))
	}
}

// makeRoom sees to it that another step has room.
func (q *holQueue) makeRoom() {
	if len(q.tail) >= batch {
		q.commit()
	}
	q.tail = slices.Grow(q.tail, max(1, 8-len(q.tail)))
}

// commit counts the steps before the latest data segment.
func (q *holQueue) commit() {
	n := len(q.tail)
	for n < maxTail && n > 0 && q.tail[n-1].to > q.lastData { // they ascend
		n--
	}
	q.count(q.tail[:n])
	q.tail = q.tail[:copy(q.tail, q.tail[n:])]
}

// count enters steps; one without duration still counts for the extremes.
func (q *holQueue) count(steps []holStep) {
	if q.tallies != nil {
		q.tally(steps)
		return
	}
	var room [2][stats.BatchSize]stats.Weighted
	for part := range slices.Chunk(steps, stats.BatchSize) {
		bytes, segments := room[0][:len(part)], room[1][:len(part)]
		for i := range part {
			s, w := &part[i], 1e-3
			if s.to > q.from {
				w = float64(s.to - q.from)
			}
			q.from = s.to
			bytes[i] = stats.Weighted{Value: float64(s.bytes), Weight: w}
			segments[i] = stats.Weighted{Value: float64(s.segments), Weight: w}
		}
		q.Bytes.AddWeightedSlice(bytes)
		q.Segments.AddWeightedSlice(segments)
	}
	if !q.Bytes.Exact() && !q.Segments.Exact() {
		q.tallies = make([]tally, batch)
	}
}

// close counts up to the last data segment.
func (q *holQueue) close() {
	if !q.begun {
		return
	}
	q.tail = append(q.tail, holStep{q.level, max(q.since, q.lastData)})
	n := 0
	for from := q.from; n < len(q.tail) && from <= q.lastData; n++ {
		from = q.tail[n].to
		q.tail[n].to = min(from, q.lastData)
	}
	q.count(q.tail[:n])
	q.tail = nil
	q.flush()
}

// fellBack ends the queue: data that runs without Multipath TCP waits for no
// DATA_ACK.
func (q *holQueue) fellBack(d *Dir) {
	q.lastData = min(q.lastData, d.m.Conn.FellBack)
	q.close()
	q.begun, q.over = false, true
}
