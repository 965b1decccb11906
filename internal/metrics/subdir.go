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

	smoothed                 // what SRTT is made from
	waiting  stats.Dist      // the sender's theta
	dir      *Dir            // of the connection
	half     *subflow.Sender // the tracker's side of the direction
	sub      *Sub
	course   *Course
	from     conn.Side

	elsewhere bool // [Config.Elsewhere] says so
	out       *outlet

	// the cell of the delay grid that is open
	cellSum    float64 // of T, each times its bytes
	cellWait   float64 // of the waits, likewise
	cellWeight float64 // bytes
	tauSum     float64 // of its SRTT at the end of the cells of T_over, ms
	tauCells   int64   // how many of them it was open in, with an SRTT
	first      int64   // octets first carried in the time that is looked at
	flushed    int64   // of them, those before the open cell of the goodput
}

func (d *SubDir) init(m *Connection, s *Sub, from conn.Side) {
	d.dir, d.half, d.sub, d.course, d.from = m.dir(from), &s.Sub.Senders[from], s, s.course(from), from
	d.Rate.grid, d.Rate.sink, d.out = &d.dir.grid, d, m.outlet(s.Sub, from)
	if m.Omits(FamilyWindows) {
		d.Cwnd.end, d.DSR.end = never, never
	}
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

// CellSRTT returns the mean of tau over the cells that the protocol delay is made
// of, ms: in each the SRTT at its end, if the subflow is open then or delivered in
// it. It reports whether there is such a cell.
func (d *SubDir) CellSRTT() (mean float64, ok bool) {
	if d.tauCells == 0 {
		return 0, false
	}
	return d.tauSum / float64(d.tauCells), true
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
	if p.TCP.FarHalfRTT > 0 && d.half.RTT.Samples > 0 {
		d.sample(p.TCP.FarHalfRTT+d.half.RTT.Last, now)
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
	d.smooth()
	if !d.derived {
		d.derive()
	}
	d.Rate.close()
	d.Cwnd.close(d)
	d.DSR.close(d)
	d.out.close()
}
