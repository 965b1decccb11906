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
	if d.m.Conn.FellBack != 0 {
		if chunks = d.m.beforeFallback(chunks); len(chunks) == 0 {
			return
		}
	}
	d.genuine = true
	if !d.looked.holds(now) || d.role != Sender && d.role != Receiver {
		return
	}
	for len(chunks) > 0 {
		n := together(chunks)
		if s := d.m.Subs[chunks[0].Sub].dirs[d.from]; d.role == Sender || s.HasSRTT() {
			d.delays(s, chunks[:n], now)
		}
		chunks = chunks[n:]
	}
	if d.m.k.cfg.Interval == 0 {
		d.cellAt(now, now+1)
	}
}

// together returns how many chunks at the front of a list one subflow was the
// first to carry, as many as distributions take at once at most. They come
// subflow by subflow.
func together(chunks []*dss.Chunk) (n int) {
	list := chunks[:min(len(chunks), stats.BatchSize)]
	sub := list[0].Sub
	if list[len(list)-1].Sub == sub {
		return len(list)
	}
	for list[n].Sub == sub {
		n++
	}
	return n
}

// delays is dataAcked for chunks that go together. The time from a chunk to its
// DATA_ACK is T at the sender and the wait at the receiver; what else follows,
// theta and T, is off by the mean round trip. Where another capture tells of
// theta and T only the waits and the cell are measured: the HoL degree is the
// receiver's.
func (d *Dir) delays(s *SubDir, chunks []*dss.Chunk, now int64) {
	n, off := len(chunks), math.NaN()
	if e := s.estimate(); e.Samples > 0 {
		off = e.SRTT / 1e6
	}
	seen := &s.HoLWait
	other := &s.PathDelay
	if d.role == Sender {
		seen, other, off = other, &s.waiting, -off
	}
	list := d.m.k.room[0][:n]
	sum, total := since(list, chunks, now)
	seen.AddWeightedSlice(list)
	waits, waited := list, sum
	if d.role == Sender {
		waits, waited = s.clips(chunks, now)
	} else {
		sum += off * total
	}
	if s.cellWeight == 0 {
		d.inCell++
	}
	s.cellSum += sum
	s.cellWait += waited
	s.cellWeight += total
	if d.series {
		d.emitDelays(s, list, waits, off, now)
	}
	if d.elsewhere {
		return
	}
	for i := range list {
		list[i].Value += off
	}
	other.AddWeightedSlice(list)
}

// since fills list with the times from chunks, each of some octets, to now, ms,
// by octets. It returns the sum of products and that of the octets.
func since(list []stats.Weighted, chunks []*dss.Chunk, now int64) (sum, total float64) {
	for i, c := range chunks[:len(list)] {
		v, w := ms(now-c.FirstSeen), float64(c.Data.Len())
		list[i] = stats.Weighted{Value: v, Weight: w}
		sum += v * w
		total += w
	}
	return sum, total
}

// clips takes the head-of-line waits of chunks at the sender: from the
// acknowledgment of the last octet on a subflow to now, 0 where the DATA_ACK came
// first. It also returns the sum of the waits, each times its bytes.
func (d *SubDir) clips(chunks []*dss.Chunk, now int64) (waits []stats.Weighted, sum float64) {
	waits = d.dir.m.k.room[1][:len(chunks)]
	for i, c := range chunks {
		at := c.Acked
		if at == 0 || at > now {
			d.HoLClipped++
			at = now
		}
		v, w := ms(now-at), float64(c.Data.Len())
		waits[i] = stats.Weighted{Value: v, Weight: w}
		sum += v * w
	}
	d.HoLWait.AddWeightedSlice(waits)
	return waits, sum
}

// emitDelays hands the delays of chunks to the series.
func (d *Dir) emitDelays(s *SubDir, list, waits []stats.Weighted, off float64, now int64) {
	delay, theta := off, 0.
	if d.role == Sender {
		delay, theta = theta, delay
	}
	if s.HasSRTT() {
		s.out.emitAll(SeriesWaitingTime, now, list, theta)
	}
	s.out.emitAll(SeriesPathDelay, now, list, delay)
	s.out.emitAll(SeriesHoLWait, now, waits, 0)
}

// inOrder takes at the receiver chunks below which everything has arrived now. A
// fallback does not end it: a lost segment of plain TCP holds data up as well, and
// no DATA_ACK is needed to see it.
func (d *Dir) inOrder(chunks []*dss.Chunk, now int64) {
	if !d.looked.holds(now) {
		return
	}
	for len(chunks) > 0 {
		n := together(chunks)
		s := d.m.Subs[chunks[0].Sub].dirs[d.from]
		waits := d.m.k.room[0][:n]
		since(waits, chunks, now)
		s.InOrderWait.AddWeightedSlice(waits)
		if d.series {
			s.out.emitAll(SeriesInOrderWait, now, waits, 0)
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
		d.cellAt(d.cellEnd-int64(d.m.k.cfg.Interval), d.cellEnd)
	}
}

// cellAt computes T_over, zeta and zeta' of the open cell, which is from time at
// to before end, from the subflows with a chunk in it. The packet that brings
// this about may have closed a subflow that was open at end.
func (d *Dir) cellAt(at, end int64) {
	if d.inCell == 0 {
		return
	}
	first, withTau := true, false
	var over, tau, all, held float64 // held: max(tau_i + w_i), w_i the mean of the waits
	for _, sub := range d.m.Subs {
		s := sub.dirs[d.from]
		if s == nil {
			continue
		}
		e := s.estimate()
		if open := !sub.Sub.Done() || sub.Sub.Ended >= end; e.Samples > 0 && (open || s.cellWeight > 0) {
			if open {
				all = max(all, e.SRTT/1e6)
			}
			s.tauSum += e.SRTT / 1e6
			s.tauCells++
		}
		if s.cellWeight == 0 {
			continue
		}
		if t := s.cellSum / s.cellWeight; first || t > over {
			over, first = t, false
		}
		if e.Samples > 0 {
			tau, withTau = max(tau, e.SRTT/1e6), true
			held = max(held, e.SRTT/1e6+s.cellWait/s.cellWeight)
		}
		s.cellSum, s.cellWait, s.cellWeight = 0, 0, 0
	}
	d.inCell = 0
	d.ProtocolDelay.Add(over)
	d.out.emit(SeriesProtocolDelay, at, over)
	if !withTau {
		return
	}
	d.HoLDegree.Add(over - tau)
	d.HoLBlocking.Add(held - tau)
	d.HoLDegreeAllPaths.Add(over - max(all, tau))
	d.out.emit(SeriesHoLDegree, at, over-tau)
	d.out.emit(SeriesHoLBlocking, at, held-tau)
	d.out.emit(SeriesHoLDegreeAllPaths, at, over-max(all, tau))
}
