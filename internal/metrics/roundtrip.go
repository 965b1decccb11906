package metrics

import (
	"cmp"
	"math"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/subflow"
)

// roundTripUnit reports rtt, rtt_newest, srtt, rttvar and rto. Meters read the smoothed
// round-trip time, so its state is a part of [SubflowDir].
var roundTripUnit = &unit{
	key:    "round_trip",
	series: []*Series{seriesRTT, seriesRTTNewest, seriesSRTT, seriesRTTVar, seriesRTO},
	report: roundTripReport{},
}

var (
	seriesRTT       = &Series{name: "rtt"}
	seriesRTTNewest = &Series{name: "rtt_newest"}
	seriesSRTT      = &Series{name: "srtt", holds: true}
	seriesRTTVar    = &Series{name: "rttvar", holds: true}
	seriesRTO       = &Series{name: "rto", holds: true}
)

type roundTripReport struct{ nop }

// RoundTrips are the round-trip times of one direction of a subflow, ms.
type RoundTrips struct {
	RTT    stats.Dist // as the Linux sender samples it; away from the sender the sum of two half round trips
	Newest stats.Dist // samples of the newest segment that each ACK covers
	SRTT   stats.Dist // RFC 6298, Section 2; one value per sample
	RTTVar stats.Dist
	RTO    stats.Dist

	est     subflow.Estimator
	sum     int64 // sum of all samples, ns
	derived bool  // SRTT, RTTVar and RTO are up to date: see [RoundTrips.derive]
}

func (t *RoundTrips) reset() {
	*t = RoundTrips{RTT: t.RTT.Renewed(), Newest: t.Newest.Renewed(), SRTT: t.SRTT.Renewed(), RTTVar: t.RTTVar.Renewed(), RTO: t.RTO.Renewed()}
}

// maxUnderived bounds the samples that only RTT holds. With so few samples RTT is
// exact.
const maxUnderived = stats.ExactLimit / 2

// longest is the longest sample, ns, that RTT holds without rounding.
const longest = 1 << 50

// HasSRTT reports whether there is a smoothed round-trip time yet.
func (t *RoundTrips) HasSRTT() bool { return t.est.Samples > 0 }

// farHalf takes the half round trip beyond the capture point, if the capture is not at
// the sender. With the latest half on the near side it makes a whole round trip.
func (s *SubflowDir) farHalf(rtt, now int64) {
	if s.dir.role != Sender && s.half.RTT.Samples > 0 {
		s.sample(rtt+s.half.RTT.Last, now)
	}
}

// deriveAll derives the figures that are not derived yet, at the end of the connection.
func (d *DataDir) deriveAll() {
	for _, s := range d.m.Subs {
		if t := s.dirs[d.from]; t != nil && !t.derived {
			t.derive()
		}
	}
}

// acknowledged takes the samples of one acknowledgment at the sender.
func (s *SubflowDir) acknowledged(a *subflow.Ack, now int64) {
	if a.Source != subflow.NoSample {
		s.sample(a.RTT, now)
	}
	if a.NewestRTT > 0 {
		s.Newest.Add(ms(a.NewestRTT))
		s.out.emit(seriesRTTNewest, now, ms(a.NewestRTT))
	}
}

// sample takes one round-trip sample, ns.
func (s *SubflowDir) sample(rtt, now int64) {
	t := &s.RoundTrips
	if !t.derived && (t.est.Samples >= maxUnderived || rtt > longest) {
		t.derive()
	}
	e := &t.est
	e.Add(rtt)
	t.sum += rtt
	if s.path != nil {
		s.path.SRTT = e.SRTT
	}
	t.RTT.Add(ms(rtt))
	if t.derived {
		t.addSmoothed(e)
	}
	if s.out != nil {
		s.out.emit(seriesRTT, now, ms(rtt))
		s.out.step(seriesSRTT, now, e.SRTT/1e6)
		s.out.step(seriesRTTVar, now, e.RTTVar/1e6)
		s.out.step(seriesRTO, now, e.RTO()/1e6)
	}
}

func (t *RoundTrips) addSmoothed(e *subflow.Estimator) {
	t.SRTT.Add(e.SRTT / 1e6)
	t.RTTVar.Add(e.RTTVar / 1e6)
	t.RTO.Add(e.RTO() / 1e6)
}

// derive makes SRTT, RTTVAR and RTO from the samples in RTT. RTT takes a tenth of their
// memory, so for a connection with few packets this is done only at the end. After
// derive, each sample updates them at once.
func (t *RoundTrips) derive() {
	t.derived = true
	e := subflow.Estimator{}
	for v := range t.RTT.ExactValues() {
		for range int64(v.Weight) {
			e.Add(int64(math.Round(v.Value * 1e6)))
			t.addSmoothed(&e)
		}
	}
}

func (roundTripReport) reportSubflow(v *view, out *report.SubDir) {
	evidence, missing := report.Observed, noSample
	if v.role != Sender {
		evidence, missing = report.Echo, v.noEcho()
	}
	s := v.sub.Dir(v.from)
	if s.RTT.N() == 0 {
		v.SetAll(missing, "rtt_ms", "srtt_ms", "rttvar_ms", "rto_ms")
	} else {
		out.RTT = v.Mem.Spreads.Of(v.Spread("rtt_ms", &s.RTT, evidence))
		out.SRTT = v.srtt(s, evidence)
		out.RTTVar, out.RTO = v.Stat("rttvar_ms", &s.RTTVar, evidence, missing), v.Stat("rto_ms", &s.RTO, evidence, missing)
	}
	out.RTTNewest = v.Stat("rtt_newest_ms", &s.Newest, report.Observed, atSender(v, missing, atSenderOnly))
}

// noSample is why a sender has no round-trip time.
const noSample = "no ACK of a segment that was sent once passed"

// noEcho returns why there is no round trip away from the sender.
func (v *view) noEcho() string {
	if v.sub.Sub.Senders[v.from].Timestamps() {
		return "no payload echoed a timestamp without a pause before it"
	}
	return cmp.Or(v.sub.OffersCut(v.from), v.sub.OptionsCut(v.from),
		"away from the sender round trips need TCP timestamps, which this subflow does not use")
}

// srtt summarises smoothed round-trip times. There must be at least one.
func (v *view) srtt(s *SubflowDir, e report.Evidence) *report.SRTTStat {
	const name = "srtt_ms.cell_mean"
	out := v.Mem.Srtts.Of(report.SRTTStat{SpreadStat: v.Spread("srtt_ms", &s.SRTT, e)})
	mean, ok := s.CellSRTT()
	switch why := v.m.DelayReason(v.from); {
	case v.m.Omits(catalogue.FamilyDelays):
		v.Set(name, catalogue.Unasked)
	case why != "":
		v.Set(name, why)
	case !ok:
		v.Set(name, "protocol_delay_ms has no cell in which the subflow was open and had a smoothed round-trip time")
	default:
		out.CellMean = v.Float(fill.Within(mean, out.Min, out.Max))
	}
	return out
}
