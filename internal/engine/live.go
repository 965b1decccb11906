package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"mpanalyze/internal/build"
	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/live"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// LiveOptions say what is shown while captures are read.
type LiveOptions struct {
	Interval time.Duration              // of capture time
	Top      int                        // how many connections are shown separately
	Pace     float64                    // speed relative to capture time; 0 for as fast as the captures can be read
	Keep     int                        // largest number of connections in the report
	Show     func(*live.Interval) error // gets each interval when it is over; an error ends the reading
	Now      func() time.Time           // wall clock
	Tick     func() <-chan time.Time    // wakes a wait for packets
}

// ErrStopped is the cause of a context that the user ended. What was read is then
// reported as if the captures ended there.
var ErrStopped = capture.ErrStopped

const (
	// settleAfter is how long packets of standard input wait for later packets that may
	// change their order and time.
	settleAfter = time.Second
	// idleAfter is how long an interval of standard input waits for late packets after
	// its end by the wall clock. tcpdump writes packets to a pipe at most a second
	// late.
	idleAfter = 1500 * time.Millisecond
	// idleTick is the time between two checks of the packets that wait.
	idleTick = 100 * time.Millisecond
)

// Live does what [AnalyzeStored] does for the captures of one host, and shows what
// passes while it reads. The report has at most [LiveOptions.Keep] connections; left is
// the number of the others.
func Live(ctx context.Context, o Options, l LiveOptions) (stored *report.Stored, left int64, err error) {
	w := &monitor{
		opt: l, length: int64(l.Interval),
		figures: live.New(live.Options{Top: l.Top, Length: int64(l.Interval), Builder: build.Builder{
			Judge: o.verdicts(), Words: o.words(nil), Label: o.Label, Detail: o.Detail,
		}}),
	}
	ctx, w.stop = context.WithCancelCause(ctx)
	defer w.stop(nil)
	o.live, o.OneGoroutine = w, true
	stored, err = analyzeOne(ctx, o)
	return stored, w.left, err
}

// monitor ends the intervals of captures that are being read. One goroutine, which reads
// and tracks, uses it.
type monitor struct {
	opt     LiveOptions
	figures *live.Monitor
	length  int64 // of an interval, ns

	ctx    context.Context
	reader *reader
	table  *conn.Table
	stop   context.CancelCauseFunc
	failed error // error of Show

	begun      bool
	start, end int64 // of the interval, ns
	latest     int64 // time of the latest packet, ns
	byWall     bool  // the wall clock ended an interval
	behind     bool  // packets of an ended interval came later, so the wall clock ends no more intervals

	firstWall  time.Time // when the first interval began
	latestWall time.Time // when the latest packet was tracked
	heldNum    uint64    // number of the first packet that waits
	heldSince  time.Time

	kept, left int64 // number of connections in the report, and of the others
}

// ticks returns the channel that interrupts a wait for packets.
func (w *monitor) ticks() <-chan time.Time {
	if w.opt.Tick != nil {
		return w.opt.Tick()
	}
	return time.Tick(idleTick)
}

// run gives every segment to the table, finishes the table, and shows each interval.
func (w *monitor) run(ctx context.Context, r *reader, t *conn.Table) (stopped error) {
	w.ctx, w.reader, w.table = ctx, r, t
	defer r.decoder.Finish()
	r.batchLimit = smallBatch
	stopped = r.readAll(ctx, func(b *batch) {
		w.take(b.segs[:b.n])
		r.free <- b
	})
	t.Passed(w.start)
	t.Finish()
	if w.begun {
		w.show(max(w.latest, w.start), true)
	}
	if errors.Is(stopped, ErrStopped) {
		stopped = nil
	}
	return cmp.Or(w.failed, stopped)
}

// take gives segments to the table and ends the intervals that lie before them. The
// segments must be in order.
func (w *monitor) take(segs []packet.Segment) {
	if len(segs) == 0 || w.failed != nil {
		return
	}
	w.latestWall = w.opt.Now()
	if !w.begun {
		w.begun, w.firstWall = true, w.latestWall
		w.start = segs[0].Time
		w.end = w.start + w.length
		w.figures.Begin(w.start)
	}
	for {
		n := w.table.Segments(segs, w.end-1)
		w.count(segs[:n])
		if segs = segs[n:]; len(segs) == 0 || w.failed != nil {
			return
		}
		w.endBefore(segs[0].Time)
	}
}

// count notes the times of packets that were tracked.
func (w *monitor) count(segs []packet.Segment) {
	late := int64(0)
	for i := range segs {
		t := segs[i].Time
		w.latest = max(w.latest, t)
		if t < w.start {
			late++
		}
	}
	if late > 0 {
		w.figures.Late(late)
		w.behind = w.behind || w.byWall
	}
}

// maxPaced is how many intervals without packets are shown one by one at a pace. A longer
// pause becomes one interval, and nobody waits for it: a clock can jump by years.
const maxPaced = 10_000

// endBefore ends the intervals that lie before a time. Several intervals without
// packets become one interval, unless a pace is set.
func (w *monitor) endBefore(now int64) {
	for now >= w.end && w.failed == nil {
		if w.end-w.start <= w.length {
			w.wait()
		}
		w.show(w.end, false)
		w.start = w.end
		w.end += w.length
		if idle := (now - w.start) / w.length; idle > 1 && (w.opt.Pace == 0 || idle > maxPaced || w.ctx.Err() != nil) {
			w.end = w.start + idle*w.length
		}
	}
}

// show shows what passed in the open interval up to a time.
func (w *monitor) show(end int64, last bool) {
	v := w.figures.End(end, last)
	if w.failed == nil {
		if w.failed = w.opt.Show(v); w.failed != nil {
			w.stop(w.failed)
		}
	}
}

// wait waits until the open interval is over at the pace that is set.
func (w *monitor) wait() {
	if w.opt.Pace <= 0 {
		return
	}
	passed := time.Duration(float64(w.end-w.start) / w.opt.Pace)
	w.firstWall = w.firstWall.Add(passed) // when the interval is over
	left := w.firstWall.Sub(w.opt.Now())
	if left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.ctx.Done():
	}
}

// idle is called from time to time while no packet can be read. It tracks packets that
// wait for later ones, and ends intervals.
func (w *monitor) idle() {
	r := w.reader
	if r == nil || r.open == nil || w.failed != nil { // the capture is not open yet
		return
	}
	now := w.opt.Now()
	r.handOver(false, w.take)
	switch b := r.open; {
	case b.n == 0:
		w.heldNum = 0
	case b.segs[0].Num != w.heldNum:
		w.heldNum, w.heldSince = b.segs[0].Num, now
	case now.Sub(w.heldSince) >= settleAfter:
		r.handOver(true, w.take)
	}
	if !w.begun || w.behind {
		return
	}
	if over := w.latest + int64(now.Sub(w.latestWall)-idleAfter); over >= w.end {
		w.byWall = true
		w.endBefore(over)
	}
}

// closed returns the function that takes connections that have ended. It shows them,
// and passes to keep as many as the report keeps.
func (w *monitor) closed(keep func(*metrics.Connection)) func(*metrics.Connection) {
	return func(m *metrics.Connection) {
		w.figures.Closed(m)
		if w.keeps() {
			keep(m)
		} else {
			m.GiveBack()
		}
	}
}

// keeps reports whether the report keeps one more connection.
func (w *monitor) keeps() bool {
	if w.kept >= int64(w.opt.Keep) {
		w.left++
		return false
	}
	w.kept++
	return true
}

// shortRecords passes on as many short records as the report keeps.
func (w *monitor) shortRecords(o *conn.Options) {
	if one := o.OneSided; one != nil {
		o.OneSided = func(r *conn.OneSided) {
			if w.keeps() {
				one(r)
			}
		}
	}
	syn := o.LoneSYN
	o.LoneSYN = func(l *conn.LoneSYN) {
		if w.keeps() {
			syn(l)
		}
	}
}
