package metrics

import "mpanalyze/internal/subflow"

// smoothed smooths the round trips of one direction of a subflow. Samples wait
// until their mean is asked for, or many do: one loop over them needs half the
// instructions of as many calls.
type smoothed struct {
	est     subflow.Estimator  // of all but those that wait
	samples []int64            // ns; bounded by maxTrips
	pending uint               // of them
	sum     int64              // of all samples but those that wait, ns
	shown   *subflow.Estimator // of all, for series: these do not end the waiting; nil before the first
}

const maxTrips = 32

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
	e, t, n := d.est, &d.m.k.trips, d.pending
	if n == 0 {
		return
	}
	if d.elsewhere {
		for _, rtt := range d.samples[:n] {
			e.Add(rtt)
			d.sum += rtt
		}
		d.est, d.pending = e, 0
		return
	}
	for i, rtt := range d.samples[:n] {
		e.Add(rtt)
		d.sum += rtt
		t.rtt[i], t.srtt[i], t.rttvar[i], t.rto[i] = ms(rtt), e.SRTT/1e6, e.RTTVar/1e6, e.RTO()/1e6
	}
	d.est, d.pending = e, 0
	d.RTT.AddAll(t.rtt[:n])
	d.SRTT.AddAll(t.srtt[:n])
	d.RTTVar.AddAll(t.rttvar[:n])
	d.RTO.AddAll(t.rto[:n])
}

// earlyAck is an acknowledgment of a handshake: until its third packet has
// passed nobody knows whether the round trips are the sender's.
type earlyAck struct {
	source      subflow.SampleSource
	rtt, newest int64
	at          int64
}

const maxEarly = 8

// settle takes the early samples, once the capture's place is known.
func (d *SubDir) settle() {
	if d.dir.role == Sender {
		for i := range d.early {
			a := &d.early[i]
			d.roundTrips(&subflow.Ack{Source: a.source, RTT: a.rtt, Newest: a.newest}, a.at)
		}
	} else if d.shake > 0 {
		d.sample(d.shake, d.shook)
	}
	d.early = nil
}

// shaken takes the round trip of a whole handshake. Away from the sender it is
// the first sum of two half round trips; the sender has its own sample.
// Without timestamps it would remain the only one and stand for the whole
// transfer, so it is not taken.
func (d *SubDir) shaken(rtt, now int64) {
	switch {
	case !d.half.Timestamps():
	case !d.m.fixed:
		d.shake, d.shook = rtt, now
	case d.dir.role != Sender:
		d.sample(rtt, now)
	}
}

// tooEarly keeps an acknowledgment that brings something new until the capture's
// place is known.
func (d *SubDir) tooEarly(a *subflow.Ack, now int64) {
	if len(d.early) < maxEarly {
		d.early = append(d.early, earlyAck{a.Source, a.RTT, a.Newest, now})
	}
}

// roundTrips takes what one acknowledgment says to the sender.
func (d *SubDir) roundTrips(a *subflow.Ack, now int64) {
	if a.Source != subflow.NoSample {
		d.sample(a.RTT, now)
	}
	if a.Newest > 0 {
		d.RTTNewest.Add(ms(a.Newest))
		if d.dir.series {
			d.out.emit(SeriesRTTNewest, now, ms(a.Newest))
		}
	}
}
