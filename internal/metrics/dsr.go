package metrics

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// dsrUnit derives dsr. Only the receiver's capture shows it.
var dsrUnit = &unit{
	key:    "dsr",
	series: []*Series{seriesDSR},
	family: catalogue.FamilyWindows,
	places: []Role{Receiver},
	meter:  hasDSR,
	report: new(dsrMeter),
}

var seriesDSR = &Series{name: "dsr"}

type dsrMeter struct {
	nop
	d    *DataDir
	subs perSub[DSR]
}

func (x *dsrMeter) renew(d *DataDir) { *x = dsrMeter{d: d, subs: x.subs.renewed((*DSR).reset)} }

func (r *DSR) reset() {
	*r = DSR{Rates: r.Rates.Renewed()}
}

func (x *dsrMeter) payload(s *SubflowDir, p *conn.Packet, now int64) {
	x.subs.of(s).arrived(s, int64(p.Seg.PayloadLen), now)
}

func (x *dsrMeter) close(int64) {
	for id, r := range x.subs.all() {
		r.close(x.d.m.Subs[id].dirs[x.d.from])
	}
}

// DSR returns the rate at which data arrives over the subflow.
func (s *SubflowDir) DSR() *DSR { return cmp.Or(s.dir.dsr, noDir.dsr).subs.at(s.id) }

// DSR is the rate at which data arrives over one path as MPTCP-rec's receiver estimates
// it (REC16, reconstructed). Time is divided into rounds of one smoothed round-trip
// time. The bytes of a round, divided by its length, enter a moving average of factor
// 1/2. The rate is the mean of the last eight averages with the weights of TEAR.
type DSR struct {
	Rates stats.Dist // Mbit/s, one value per round

	rounds
}

// rounds is the state that determines the rate.
type rounds struct {
	start, end int64 // of the open round, ns; 0 before the first
	bytes      int64 // bytes that arrived in the open round
	rate       float64
	last       [8]float64 // the latest averages, Mbit/s, the newest first
	n          int        // how many elements of last are in use
}

// tear are the weights of the latest eight rounds, the newest first.
var tear = [8]float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 2. / 15, 1. / 10, 1. / 15, 1. / 30}

// maxIdleRounds is how many rounds without data are counted one by one. After so many
// rounds the average is 2^-64 of its value before, which counts as 0.
const maxIdleRounds = 64 + len(tear)

// minRound is the least length of a round, ns. It matters if the round trip is hardly
// longer than one step of the clock.
const minRound = 1000

func (r *rounds) known() bool { return r.n > 0 }

// arrived takes a packet's payload.
func (r *DSR) arrived(d *SubflowDir, bytes, now int64) {
	if now >= r.end {
		r.roll(d, now)
	}
	r.bytes += bytes
}

// roll ends the rounds that lie before now. There is no round before the first smoothed
// round-trip time.
func (r *DSR) roll(d *SubflowDir, now int64) {
	if !d.HasSRTT() {
		return
	}
	length := max(minRound, int64(d.est.SRTT))
	if r.end == 0 {
		r.start, r.end, r.bytes = now, now+length, 0
		return
	}
	for range maxIdleRounds {
		v, at := r.finish(), r.end
		r.Rates.Add(v)
		d.out.emit(seriesDSR, at, v)
		r.start, r.end = at, at+length
		if now < r.end {
			return
		}
	}
	idle := (now - r.start) / length
	r.Rates.AddRepeated(0, idle)
	if idle > 0 {
		d.out.emitEmpty(seriesDSR, r.start+length, length, idle)
	}
	r.rate, r.last = 0, [len(tear)]float64{}
	r.start += idle * length
	r.end = r.start + length
}

// close ends the round of the latest data. Like a round of [Cwnd], it counts only if
// the subflow lasted to its end, because a part of a round gives no rate.
func (r *DSR) close(d *SubflowDir) {
	if r.end != 0 && r.end <= d.sub.Sub.Last() {
		v := r.finish()
		r.Rates.Add(v)
		d.out.emit(seriesDSR, r.end, v)
	}
}

// finish ends the open round and returns the rate after it.
func (r *rounds) finish() float64 {
	v := rate(r.bytes, r.end-r.start)
	if r.n > 0 {
		v = 0.5*r.rate + 0.5*v
	}
	r.rate, r.bytes = v, 0
	copy(r.last[1:], r.last[:])
	r.last[0] = v
	r.n = min(r.n+1, len(r.last))
	return r.smoothed()
}

// smoothed returns the weighted mean of the averages in use.
func (r *rounds) smoothed() float64 {
	sum, weight := 0.0, 0.0
	for i := range r.n {
		sum += tear[i] * r.last[i]
		weight += tear[i]
	}
	return sum / weight
}

// at returns the rate at a time after the latest packet, without ending any
// round.
func (r *DSR) at(now int64) float64 {
	copied := r.rounds
	length := copied.end - copied.start
	v := copied.smoothed()
	for i := 0; now >= copied.end && i < maxIdleRounds; i++ {
		v = copied.finish()
		copied.start, copied.end = copied.end, copied.end+length
	}
	return v
}

func (*dsrMeter) reportSubflow(v *view, out *report.SubDir) {
	why := atReceiverOnly
	if v.role == Receiver {
		why = "less than one round-trip time of data passed, or no round-trip time is known"
	}
	v.distribution(out, "dsr_mbps", &v.sub.Dir(v.from).DSR().Rates, report.Reconstructed, why)
}
