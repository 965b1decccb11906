package metrics

import (
	"cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// inFlightUnit derives in_flight: the bytes that a subflow has sent and that are not
// acknowledged, directly after each packet with payload. Only the sender's capture
// shows it.
var inFlightUnit = &unit{
	key:    "in_flight",
	series: []*Series{seriesInFlight},
	places: []Role{Sender},
	meter:  hasInFlight,
	report: new(inFlightMeter),
}

var seriesInFlight = &Series{name: "in_flight"}

type inFlightMeter struct {
	nop
	subs perSub[stats.Dist]
}

func (x *inFlightMeter) renew(*DataDir) {
	*x = inFlightMeter{subs: x.subs.renewed((*stats.Dist).Reset)}
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
	out.InFlightBytes = v.Stat("in_flight_bytes", v.sub.Dir(v.from).InFlight(), report.Observed, atSender(v, noData, atSenderOnly))
}
