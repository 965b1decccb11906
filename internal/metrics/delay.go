package metrics

import (
	"math"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/stats"
)

// dataAcked takes the chunks that a DATA_ACK covers for the first time
// (FI23, FED23): T(c) = t_d - t_s at the sender; at the receiver
// tau_i + (arrival to the covering DATA_ACK), an upper bound.
func (d *Dir) dataAcked(chunks []*dss.Chunk, now int64) {
	if !d.looked.holds(now) || d.role != Sender && d.role != Receiver {
		return
	}
	for len(chunks) > 0 {
		n := together(chunks)
		if s := &d.m.Subs[chunks[0].Sub].Dirs[d.from]; d.role == Sender || s.HasSRTT() {
			d.delays(s, chunks[:n], now)
		}
		chunks = chunks[n:]
	}
	if d.m.k.cfg.Interval == 0 {
		d.cellAt(now)
	}
}

// together returns how many chunks at the front of a list one subflow was the
// first to carry, as many as distributions take at once at most. They come
// subflow by subflow.
func together(chunks []*dss.Chunk) (n int) {
	sub := chunks[0].Sub
	for n < min(len(chunks), stats.Batch) && chunks[n].Sub == sub {
		n++
	}
	return n
}

// delays is dataAcked for chunks that go together.
func (d *Dir) delays(s *SubDir, chunks []*dss.Chunk, now int64) {
	tau, sending, n := math.NaN(), d.role == Sender, len(chunks)
	if e := s.estimate(); e.Samples > 0 {
		tau = e.SRTT / 1e6
	}
	var thetas, delays []stats.Weighted
	waits := s.HoLWait.Room(n)
	if sending {
		thetas = s.waiting.Room(n)
	}
	if !d.elsewhere {
		delays = s.PathDelay.Room(n)
	}
	var sum, total float64
	for i, c := range chunks {
		delay, weight := ms(now-c.Seen), float64(c.Data.Len())
		wait, theta := delay, delay-tau
		if sending {
			wait = s.clip(c, now)
			thetas[i] = stats.Weighted{Value: theta, Weight: weight}
		} else {
			theta, delay = delay, delay+tau
		}
		waits[i] = stats.Weighted{Value: wait, Weight: weight}
		if d.series {
			d.emitWaits(s, now, wait, delay, theta)
		}
		if !d.elsewhere {
			delays[i] = stats.Weighted{Value: delay, Weight: weight}
			sum += delay * weight
			total += weight
		}
	}
	if s.cellWeight == 0 && total > 0 {
		d.inCell++
	}
	s.cellSum += sum
	s.cellWeight += total
}

// emitWaits hands the delays of one chunk to the series.
func (d *Dir) emitWaits(s *SubDir, now int64, wait, delay, theta float64) {
	if s.HasSRTT() {
		s.out.emit(SeriesWaitingTime, now, theta)
	}
	s.out.emit(SeriesPathDelay, now, delay)
	s.out.emit(SeriesHoLWait, now, wait)
}

// clip returns the head-of-line wait of a chunk at the sender: from the
// acknowledgment of its last octet on a subflow to now, 0 where the DATA_ACK
// came first.
func (d *SubDir) clip(c *dss.Chunk, now int64) float64 {
	if c.Acked == 0 || c.Acked > now {
		d.HoLClipped++
		return 0
	}
	return ms(now - c.Acked)
}

// inOrder takes at the receiver chunks below which everything has arrived now.
func (d *Dir) inOrder(chunks []*dss.Chunk, now int64) {
	if !d.looked.holds(now) {
		return
	}
	for len(chunks) > 0 {
		n := together(chunks)
		s := &d.m.Subs[chunks[0].Sub].Dirs[d.from]
		waits := s.InOrderWait.Room(n)
		for i, c := range chunks[:n] {
			w := ms(now - c.Seen)
			waits[i] = stats.Weighted{Value: w, Weight: float64(c.Data.Len())}
			if d.series {
				s.out.emit(SeriesInOrderWait, now, w)
			}
		}
		chunks = chunks[n:]
	}
}

// tick ends the cell of the delay grid that now lies beyond, before anything
// of the packet changes a smoothed round-trip time.
func (d *Dir) tick(now int64) {
	if d.cellEnd == math.MaxInt64 {
		return
	}
	d.flushCell()
	d.share()
	cell := int64(d.m.k.cfg.Interval)
	d.cellEnd += (now - d.cellEnd + cell) / cell * cell
}

// flushCell ends the open cell of the grid.
func (d *Dir) flushCell() {
	if d.inCell > 0 {
		d.cellAt(d.cellEnd - int64(d.m.k.cfg.Interval))
	}
}

// cellAt computes T_over and zeta of the open cell, which began at time at,
// from the subflows with a chunk in it.
func (d *Dir) cellAt(at int64) {
	if d.inCell == 0 {
		return
	}
	first, withTau := true, false
	var over, tau, all float64
	for _, sub := range d.m.Subs {
		s := &sub.Dirs[d.from]
		e := s.estimate()
		if e.Samples > 0 && !sub.Sub.Done() {
			all = max(all, e.SRTT/1e6)
		}
		if s.cellWeight == 0 {
			continue
		}
		if t := s.cellSum / s.cellWeight; first || t > over {
			over, first = t, false
		}
		if e.Samples > 0 {
			tau, withTau = max(tau, e.SRTT/1e6), true
		}
		s.cellSum, s.cellWeight = 0, 0
	}
	d.inCell = 0
	d.ProtocolDelay.Add(over)
	d.out.emit(SeriesProtocolDelay, at, over)
	if !withTau {
		return
	}
	d.HoLDegree.Add(over - tau)
	d.HoLDegreeAllPaths.Add(over - max(all, tau))
	d.out.emit(SeriesHoLDegree, at, over-tau)
	d.out.emit(SeriesHoLDegreeAllPaths, at, over-max(all, tau))
}
