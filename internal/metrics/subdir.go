package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/subflow"
)

// SubDir holds the figures of one direction of one subflow. Times are
// milliseconds.
type SubDir struct {
	RTT       stats.Dist // as the Linux sender samples it; away from the sender the sum of two half round trips
	RTTNewest stats.Dist // of the newest piece acknowledged
	SRTT      stats.Dist // RFC 6298, Section 2; one value per sample
	RTTVar    stats.Dist
	RTO       stats.Dist
	InFlight  stats.Dist // octets, at each data packet

	PathDelay   stats.Dist // T = t_d - t_s (FI23), by octets
	HoLWait     stats.Dist // by octets
	HoLClipped  int64      // chunks whose DATA_ACK overtook the subflow's ACK
	InOrderWait stats.Dist // by octets; receiver only

	Rate   Rate
	Bursts Bursts

	Cwnd Cwnd    // sender only
	DSR  DSR     // receiver only
	Rec  RecPath // receiver only

	est     subflow.Estimator // what SRTT was made from
	waiting stats.Dist        // the sender's theta
	shake   int64             // the handshake's round trip, ns, until the capture's place is known; 0 = none
	shook   int64             // when that was
	early   []earlyAck        // acknowledgments, likewise; bounded by maxEarly
	m       *Connection
	dir     *Dir          // of the connection
	half    *subflow.Half // the tracker's side of the direction
	sub     *Sub
	course  *Course
	from    conn.Side

	elsewhere bool // [Config.Elsewhere] says so
	out       outlet

	// the cell of the delay grid that is open
	cellSum, cellWeight float64
	cellFirst           int64 // octets first carried in the open cell of the goodput
}

func (d *SubDir) init(m *Connection, s *Sub, from conn.Side) {
	d.m, d.dir, d.half, d.sub, d.course, d.from = m, &m.Dirs[from], &s.Sub.Half[from], s, &s.Courses[from], from
	d.Rate.grid, d.Rate.sink, d.out = &d.dir.grid, d, m.outlet(s.Sub, from)
}

// WaitingTime returns theta = T - tau(t_d) by octets (FI23). At the receiver,
// where T is tau and the time from the arrival to the DATA_ACK, that time is
// left of it, which is HoLWait.
func (d *SubDir) WaitingTime() *stats.Dist {
	if d.dir.role == Receiver {
		return &d.HoLWait
	}
	return &d.waiting
}

// HasSRTT reports whether there is a smoothed round-trip time yet.
func (d *SubDir) HasSRTT() bool { return d.est.Samples > 0 }

// sample takes one round-trip sample.
func (d *SubDir) sample(rtt, now int64) {
	d.est.Add(rtt)
	if d.elsewhere {
		return
	}
	sample, srtt, rttvar, rto := ms(rtt), d.est.SRTT/1e6, d.est.RTTVar/1e6, d.est.RTO()/1e6
	d.RTT.Add(sample)
	d.SRTT.Add(srtt)
	d.RTTVar.Add(rttvar)
	d.RTO.Add(rto)
	if !d.dir.series {
		return
	}
	d.out.emit(SeriesRTT, now, sample)
	d.out.step(SeriesSRTT, now, srtt)
	d.out.step(SeriesRTTVar, now, rttvar)
	d.out.step(SeriesRTO, now, rto)
}

// earlyAck is an acknowledgment of a handshake: until its third packet has
// passed nobody knows whether the round trips are the sender's.
type earlyAck struct {
	subflow.Ack // what was covered is not kept
	at          int64
}

const maxEarly = 8

// settle takes the early samples, once the capture's place is known.
func (d *SubDir) settle() {
	if d.dir.role == Sender {
		for i := range d.early {
			d.roundTrips(&d.early[i].Ack, d.early[i].at)
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

// acknowledged takes an acknowledgment that brings something new, most of which
// give a round trip.
func (d *SubDir) acknowledged(a *subflow.Ack, now int64) {
	if d.dir.role == Sender {
		d.roundTrips(a, now)
	} else if !d.m.fixed && len(d.early) < maxEarly {
		d.early = append(d.early, earlyAck{subflow.Ack{Source: a.Source, RTT: a.RTT, Newest: a.Newest}, now})
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

// carried takes a packet with payload.
func (d *SubDir) carried(p *conn.Packet, now int64) {
	if d.dir.role == Sender {
		n := d.half.InFlight()
		d.InFlight.Add(float64(n))
		if d.dir.series {
			d.out.emit(SeriesInFlight, now, float64(n))
		}
		d.Cwnd.sent(d, n, now)
		return
	}
	if p.TCP.Far > 0 && d.half.RTT.Samples > 0 {
		d.sample(p.TCP.Far+d.half.RTT.Last, now)
	}
	if d.dir.role == Receiver {
		d.DSR.arrived(d, int64(p.Seg.PayloadLen), now)
	}
}

// flushRate takes one whole cell of the throughput.
func (d *SubDir) flushRate(at int64, mbps float64) {
	d.out.emit(SeriesThroughput, at, mbps)
}

func (d *SubDir) close() {
	d.Rate.close()
	d.Cwnd.close(d)
	d.out.close()
}
