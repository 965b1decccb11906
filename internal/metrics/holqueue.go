package metrics

import (
	"cmp"
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// holQueueUnit derives hol_queue.
var holQueueUnit = &unit{
	key:    "hol_queue",
	series: []*Series{seriesHoLQueue},
	family: catalogue.FamilyDelays,
	meter:  hasHoLQueue,
	report: new(HoLQueue),
}

var seriesHoLQueue = &Series{name: "hol_queue", holds: true, maps: true, acks: true}

// noSpan is the reason why the queue has no average over time.
const noSpan = "no time passes from the first data segment (at the sender: from the first acknowledgment of data) to the last data segment: there is no time to weigh by"

// HoLQueue is the head-of-line queue (FED23). At the receiver it is the data that has
// arrived and is not DATA_ACKed. At the sender it is the data that a subflow has
// acknowledged and that no DATA_ACK covers. It is weighted by time, from the first to
// the last data segment. At the sender the time begins with the first acknowledgment,
// because before it no waiting data can be known. The maximum also includes the time
// after the last data segment. A fallback to TCP ends both, because no DATA_ACK covers
// later data.
type HoLQueue struct {
	nop
	d *DataDir

	Bytes    stats.Dist
	Segments stats.Tally

	level    holLevel
	peak     holLevel // largest level of either kind since the time began
	begun    bool
	emitted  bool      // the series has a value
	over     bool      // a fallback ended the queue
	start    int64     // when the time began
	since    int64     // when the level was reached
	lastData int64     // time of the latest data segment
	from     int64     // when the first level of tail was reached
	tail     []holStep // earlier levels that are not counted yet; bounded by maxTail
}

// holLevel is the amount of data that waits.
type holLevel struct{ bytes, segments int64 }

// holStep is an earlier level.
type holStep struct {
	holLevel
	to int64 // ns; it begins where the one before ends
}

const (
	// batch is how many steps usually wait, because one loop over them is faster than a
	// call for each.
	batch = 64
	// maxTail bounds the steps that wait until it is known whether another data segment
	// follows. At the bound they are counted as if one followed.
	maxTail = 4096
)

func (q *HoLQueue) renew(d *DataDir) {
	*q = HoLQueue{d: d, Bytes: q.Bytes.Renewed(), Segments: q.Segments.Renewed(), tail: seq.Reuse(q.tail), over: d.m != nil && d.m.fell}
}

// HoLQueue returns the head-of-line queue of the direction.
func (d *DataDir) HoLQueue() *HoLQueue { return cmp.Or(d.holQueue, noDir.holQueue) }

// Peak returns its largest values, in bytes and in segments. They include the time
// after the last data segment, which the distributions do not.
func (q *HoLQueue) Peak() (bytes, segments int64) { return q.peak.bytes, q.peak.segments }

// now returns the current level.
func (q *HoLQueue) now() holLevel {
	sp := q.d.space
	if q.d.role == Sender {
		return holLevel{sp.SubflowAckedBytes, sp.SubflowAckedSegments}
	}
	return holLevel{sp.OutstandingBytes, sp.OutstandingSegments}
}

// settled takes the end of a packet that carried or acknowledged data, and notes the level if it
// has changed.
func (q *HoLQueue) settled(p *conn.Packet, now int64) {
	if q.d.looked.holds(now) && !q.over {
		q.time(p, now)
	}
	if l := q.now(); l != q.level {
		q.move(l, now)
	} else if q.begun && !q.emitted {
		q.emit(now)
	}
}

// time begins the queue's time, or extends it. At the sender the time begins with the
// first acknowledgment of payload, otherwise with the first data segment.
func (q *HoLQueue) time(p *conn.Packet, now int64) {
	sent := p.From == q.d.from
	switch data := sent && p.HasPayload(); {
	case data && !q.begun && q.d.role != Sender:
		q.begin(now)
		q.lastData = now
	case data:
		q.lastData = now
	case !sent && !q.begun && q.d.role == Sender && p.TCP.Ack.Payload():
		q.begin(now)
	}
}

// begin starts the queue's time.
func (q *HoLQueue) begin(now int64) {
	q.begun, q.start, q.from, q.since, q.level = true, now, now, now, q.now()
	q.peak = q.level
}

// move notes a new level.
func (q *HoLQueue) move(l holLevel, now int64) {
	if !q.begun || !q.d.looked.holds(now) {
		return
	}
	q.since = max(q.since, now)
	if len(q.tail) == cap(q.tail) {
		q.makeRoom()
	}
	q.tail = append(q.tail, holStep{q.level, q.since})
	q.level = l
	q.peak = holLevel{max(q.peak.bytes, l.bytes), max(q.peak.segments, l.segments)}
	q.emit(now)
}

// emit hands the level to the series.
func (q *HoLQueue) emit(now int64) {
	q.emitted = true
	if q.d.role == Sender || q.d.role == Receiver {
		q.d.out.step(seriesHoLQueue, now, float64(q.level.bytes))
	}
}

// makeRoom makes room for another step.
func (q *HoLQueue) makeRoom() {
	if len(q.tail) >= batch {
		q.commit()
	}
	q.tail = slices.Grow(q.tail, max(1, 8-len(q.tail)))
}

// commit counts the steps before the latest data segment.
func (q *HoLQueue) commit() {
	n := len(q.tail)
	for n < maxTail && n > 0 && q.tail[n-1].to > q.lastData { // the times ascend
		n--
	}
	q.count(q.tail[:n])
	q.tail = q.tail[:copy(q.tail, q.tail[n:])]
}

// count adds steps to the distributions. A step without duration still counts for the
// extremes.
func (q *HoLQueue) count(steps []holStep) {
	var room [stats.BatchSize]stats.Weighted
	for part := range slices.Chunk(steps, stats.BatchSize) {
		bytes := room[:len(part)]
		for i := range part {
			s, w := &part[i], 1e-3
			if s.to > q.from {
				w = float64(s.to - q.from)
			}
			q.from = s.to
			bytes[i] = stats.Weighted{Value: float64(s.bytes), Weight: w}
			q.Segments.AddWeighted(s.segments, w)
		}
		q.Bytes.AddWeightedSlice(bytes)
	}
}

// close counts up to the last data segment.
func (q *HoLQueue) close(int64) {
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
}

// fallback ends the queue, because data without Multipath TCP does not wait for a
// DATA_ACK.
func (q *HoLQueue) fallback() {
	q.lastData = min(q.lastData, q.d.m.Conn.FellBack)
	q.close(0)
	q.begun, q.over = false, true
}

// reportConnection fills the head-of-line queue. Its distribution ends with the last data
// segment, its maximum does not.
func (*HoLQueue) reportConnection(v *view, out *report.ConnDir) {
	why, q := v.m.DelayReason(v.from), v.dir().HoLQueue()
	switch {
	case why != "":
	case v.m.GapReason() != "":
		why = acrossGap
	case q.Bytes.N() > 0 && q.lastData <= q.start:
		why = noSpan
	case q.Bytes.N() > 0:
		bytes, segments := fill.StatOf(&q.Bytes, report.Observed), fill.StatOf(q.Segments.Dist(), report.Observed)
		bytes.Max, segments.Max = float64(q.peak.bytes), float64(q.peak.segments)
		out.HoLQueueBytes, out.HoLQueueSegments = v.Mem.Stats.Of(bytes), v.Mem.Stats.Of(segments)
		return
	case v.dir().Delays().Protocol.N() > 0:
		why = "the last data segment passed before the first acknowledgment: there is no time to weigh by"
	default:
		why = v.noDelays()
	}
	v.SetAll(why, "hol_queue_bytes", "hol_queue_segments")
}
