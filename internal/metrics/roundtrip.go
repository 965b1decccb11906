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
	rows:   roundTripRows,
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

var roundTripRows = []catalogue.Metric{
	{
		Name: "rtt", JSON: "rtt_ms", BothEnds: true, Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: "*SpreadStat",
		Definition: "Round-trip time as the Linux sender samples it, at most once per ACK. Away from the sender it is the sum of two parts of the round trip, one on each side of the capture.",
		Formula: "now - sending of a segment: the oldest one that is newly acknowledged and that no SACK covered before. If one of the newly acknowledged segments was sent twice, it is the lowest segment newly SACKed that was sent once. If there is none and the ACK advances, the sample is now - first sending of the timestamp that the ACK echoes. SYN and FIN take part, and the handshake is the first sample. " +
			"Away from the sender it is far half + near half. The far half is the time from the first packet with a TSval to the first data packet that echoes it, with a TSecr above all before it. The near half is the latest sample of the rule above, at the place of the capture",
		Source: "RFC 6298 Section 3, RFC 7323 Section 4; tcp_ack_update_rtt of Linux", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Observed},
		Caveats: "Away from the sender it needs TCP timestamps. Data that follows a pause of more than half of the far half gives no far half. The error is 1 to 3 % in bulk transfers, and larger where the application pauses.",
	},
	{
		Name: "rtt_newest", JSON: "rtt_newest_ms", BothEnds: true, Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Round-trip time of the newest segment that an ACK covers; delayed acknowledgments do not increase it.",
		Formula:    "now - sending of the newest segment acknowledged that was sent once", Source: "this program; tcp.analysis.ack_rtt of Wireshark", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Both: catalogue.Observed},
	},
	{
		Name: "srtt", JSON: "srtt_ms", BothEnds: true, Symbol: "τ_i", Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: "*SRTTStat",
		Definition: "Smoothed round-trip time of a path.",
		Formula:    "srtt = 7/8 srtt + 1/8 rtt for every sample; the first sample sets it", Source: "FI23 Table 3, FED23 Table 1; RFC 6298 Section 2", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Observed},
		Caveats: "The statistics are over samples, not over time. Only cell_mean is over time: it is the mean of the SRTT at the end of each cell of protocol_delay, while the subflow is open. So protocol delay less HoL degree is the larger SRTT in tables, as long as the slower path delivers in every cell.",
	},
	{
		Name: "rttvar", JSON: "rttvar_ms", BothEnds: true, Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Smoothed deviation of the round-trip time.",
		Formula:    "rttvar = 3/4 rttvar + 1/4 |srtt - rtt| for every sample of rtt, with the srtt before it; the first sample sets it to rtt / 2", Source: "RFC 6298 Section 2", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Observed},
		Caveats: "It is not the kernel's. A round trip that becomes shorter raises the deviation of Linux (mdev, the second number of rtt in ss -ti) an eighth as much. For the timer Linux takes the largest mdev of each round trip (mdev_max), at least tcp_rto_min (200 ms), with a decay of its own.",
	},
	{
		Name: "rto", JSON: "rto_ms", BothEnds: true, Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Retransmission timeout by RFC 6298 from the samples, with the minimum and maximum of Linux.",
		Formula:    "min(srtt + max(200 ms, 4 rttvar), 120 s) after every sample of rtt", Source: "RFC 6298 Section 2", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Observed},
		Caveats: "It does not include the backoff after a timeout. It is not the kernel's timer, whose variance term has a minimum and a decay of its own (see rttvar). The difference to values of kernels was -19 % in the median and +447 % at the 95th percentile. " +
			"Do not take it for the rto of ss -ti.",
	},
}

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
	out.RTTNewest = v.Stat("rtt_newest_ms", &s.Newest, report.Observed, v.senderOr(missing))
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
