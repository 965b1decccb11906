package metrics

import (
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/subflow"
)

// smoothed smooths the round trips of one direction of a subflow. Samples wait
// until their mean is asked for, or many do: one loop over them needs half the
// instructions of as many calls.
type smoothed struct {
	est     subflow.Estimator  // of all but those that wait
	samples []int64            // ns; bounded by maxTrips
	pending uint               // of them
	sum     int64              // of all samples but those that wait, ns
	shown   *subflow.Estimator // of all, for series: these do not end the waiting; nil before the first
	derived bool               // SRTT, RTTVar and RTO hold what they should: see [SubDir.derive]
}

const maxTrips = 32

// maxUnderived bounds the samples of which only RTT knows; it is exact as long.
const maxUnderived = stats.ExactLimit / 2

// longest is the longest sample, ns, that is found again in RTT.
const longest = 1 << 50

// trips is room for what follows from samples that wait.
type trips struct{ rtt, srtt, rttvar, rto [maxTrips]float64 }

// HasSRTT reports whether there is a smoothed round-trip time yet.
func (d *SubDir) HasSRTT() bool { return d.est.Samples > 0 || d.estimate().Samples > 0 }

// estimate returns what follows from all samples so far.
func (d *SubDir) estimate() *subflow.Estimator {
	if d.pending > 0 {
		d.smooth()
	}
	return &d.est
}

// sample takes one round-trip sample.
func (d *SubDir) sample(rtt, now int64) {
	if d.pending == maxTrips {
		d.smooth()
	}
	d.samples = append(d.samples[:d.pending], rtt)
	if d.pending++; d.dir.series {
		d.emitSample(rtt, now)
	}
}

// emitSample hands a sample to the series.
func (d *SubDir) emitSample(rtt, now int64) {
	if d.elsewhere {
		return
	}
	if d.shown == nil {
		d.shown = new(subflow.Estimator)
	}
	e := d.shown
	e.Add(rtt)
	d.out.emit(SeriesRTT, now, ms(rtt))
	d.out.step(SeriesSRTT, now, e.SRTT/1e6)
	d.out.step(SeriesRTTVar, now, e.RTTVar/1e6)
	d.out.step(SeriesRTO, now, e.RTO()/1e6)
}

// smooth enters the samples that wait. Who asks for the mean of none that wait
// must not carry the loop along.
//
//go:noinline
func (d *SubDir) smooth() {
	e, t, n := d.est, &d.dir.m.k.trips, d.pending
	if n == 0 {
		return
	}
	if !d.derived && (d.elsewhere || e.Samples+int64(n) > maxUnderived || slices.Max(d.samples[:n]) > longest) {
		d.derive()
	}
	for i, rtt := range d.samples[:n] {
		e.Add(rtt)
		d.sum += rtt
		t.rtt[i], t.srtt[i], t.rttvar[i], t.rto[i] = ms(rtt), e.SRTT/1e6, e.RTTVar/1e6, e.RTO()/1e6
	}
	d.est, d.pending = e, 0
	if d.elsewhere {
		return
	}
	d.RTT.AddSlice(t.rtt[:n])
	if d.derived {
		d.addSmoothed(t, n)
	}
}

func (d *SubDir) addSmoothed(t *trips, n uint) {
	d.SRTT.AddSlice(t.srtt[:n])
	d.RTTVar.AddSlice(t.rttvar[:n])
	d.RTO.AddSlice(t.rto[:n])
}

// derive makes what follows from the samples in RTT, which takes a tenth of the memory:
// of a connection of few packets it is made at the end. From then on it is kept at once.
func (d *SubDir) derive() {
	d.derived = true
	t, n, e := &d.dir.m.k.trips, uint(0), subflow.Estimator{}
	for v := range d.RTT.ExactValues() {
		for range int64(v.Weight) {
			e.Add(int64(math.Round(v.Value * 1e6)))
			t.srtt[n], t.rttvar[n], t.rto[n] = e.SRTT/1e6, e.RTTVar/1e6, e.RTO()/1e6
			if n++; n == maxTrips {
				d.addSmoothed(t, n)
				n = 0
			}
		}
	}
	d.addSmoothed(t, n)
}

// earlyAck is an acknowledgment of a handshake: until its third packet has
// passed nobody knows whether the round trips are the sender's. Or it is the whole
// handshake, which away from the sender is the first sum of two half round trips.
type earlyAck struct {
	of          conn.Side // whose data it acknowledges
	whole       bool
	source      subflow.SampleSource
	rtt, newest int64
	at          int64
}

// maxEarly bounds the early acknowledgments of one direction.
const maxEarly = 8

// settle takes the early samples, once the capture's place is known.
func (m *Connection) settle(s *Sub) {
	for i := range s.early {
		if a := &s.early[i]; a.whole == (m.roles[a.of] != Sender) {
			m.make(s)
			s.dirs[a.of].take(a)
		}
	}
	s.early = nil
}

func (d *SubDir) take(a *earlyAck) {
	if a.whole {
		d.sample(a.rtt, a.at)
	} else {
		d.roundTrips(&subflow.Ack{Source: a.source, RTT: a.rtt, NewestRTT: a.newest}, a.at)
	}
}

// shake takes the round trip of a whole handshake. The sender has its own sample.
// Without timestamps it would remain the only one and stand for the whole
// transfer, so it is not taken.
func (m *Connection) shake(s *Sub, from conn.Side, rtt, now int64) {
	switch {
	case !s.Sub.Senders[from].Timestamps():
	case !m.fixed && rtt > 0:
		s.early = append(s.early, earlyAck{of: from, whole: true, rtt: rtt, at: now})
	case !m.fixed:
	case m.roles[from] != Sender:
		m.make(s)
		s.dirs[from].sample(rtt, now)
	}
}

// tooEarly keeps an acknowledgment that brings something new until the capture's
// place is known.
func (w *way) tooEarly(a *subflow.Ack, now int64) {
	of, n := w.from.Other(), 0
	for i := range w.sub.early {
		if e := &w.sub.early[i]; e.of == of && !e.whole {
			n++
		}
	}
	if n < maxEarly {
		w.sub.early = append(w.sub.early, earlyAck{of: of, source: a.Source, rtt: a.RTT, newest: a.NewestRTT, at: now})
	}
}

// roundTrips takes what one acknowledgment says to the sender.
func (d *SubDir) roundTrips(a *subflow.Ack, now int64) {
	if a.Source != subflow.NoSample {
		d.sample(a.RTT, now)
	}
	if a.NewestRTT > 0 {
		d.RTTNewest.Add(ms(a.NewestRTT))
		if d.dir.series {
			d.out.emit(SeriesRTTNewest, now, ms(a.NewestRTT))
		}
	}
}
