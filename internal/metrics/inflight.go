package metrics

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// inFlightUnit derives in_flight: the bytes that a subflow has sent and that are not
// acknowledged, directly after each packet with payload. Only the sender's capture
// shows it.
var inFlightUnit = &unit{
	rows:   inFlightRows,
	series: []*Series{seriesInFlight},
	places: []Role{Sender},
	meter:  hasInFlight,
	report: new(inFlightMeter),
}

var seriesInFlight = &Series{name: "in_flight"}

var inFlightRows = []catalogue.Metric{
	{
		Name: "in_flight", JSON: "in_flight_bytes", BothEnds: true, Symbol: "owin", Unit: "bytes", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: catalogue.Distribution,
		Definition: "Bytes sent on the subflow and not acknowledged cumulatively: a value right after each data packet, copies included, and none at an ACK.",
		Formula:    "SND.NXT - SND.UNA", Source: "RFC 9293 Section 3.3.1; tcptrace", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Both: catalogue.Observed},
	},
}

type inFlightMeter struct {
	nop
	d    *DataDir
	subs perSub[stats.Dist]
}

func (x *inFlightMeter) renew(d *DataDir) {
	*x = inFlightMeter{d: d, subs: x.subs.renewed((*stats.Dist).Reset)}
}

func (x *inFlightMeter) payload(s *SubflowDir, now int64) {
	n := float64(s.half.InFlight())
	x.subs.of(s).Add(n)
	s.out.emit(seriesInFlight, now, n)
}

// InFlight returns the bytes in flight on the subflow.
func (s *SubflowDir) InFlight() *stats.Dist {
	return cmp.Or(s.dir.inFlight, noDir.inFlight).subs.at(s.id)
}

func (*inFlightMeter) reportSubflow(v *view, out *report.SubDir) {
	out.InFlightBytes = v.Stat("in_flight_bytes", v.sub.Dir(v.from).InFlight(), report.Observed, v.senderOr(noData))
}
