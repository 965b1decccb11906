package engine

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/build"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
)

// mergeEnds makes one document of both captures.
func mergeEnds(o *Options, ends *[2]*captureEnd, both *pair.Pair, about *startInfo) *report.Document {
	s, r := ends[pair.AtSender], ends[pair.AtReceiver]
	doc, other := s.document(s.table), r.document(r.table)
	for i := range doc.Captures {
		doc.Captures[i].Host = hostOf(pair.AtSender)
	}
	for i := range other.Captures {
		other.Captures[i].Host = hostOf(pair.AtReceiver)
	}
	doc.Captures = append(doc.Captures, other.Captures...)
	for _, w := range other.Warnings {
		w.Message = "receiver's capture: " + w.Message
		doc.Warnings = append(doc.Warnings, w)
	}
	clocks := both.Clock(o.Clock)
	if first := doc.Captures[0].First; first != nil {
		clocks.Begin(int64(*first) + packet.Origin)
	}
	flows, conns := both.Results()
	if n := s.builder.Merge(r.builder, flows, conns, &clocks, s.conns); n > 0 {
		const text = "connections began with a subflow that only the receiver's capture shows: tables count from the first packet in the sender's"
		doc.Warnings = append(doc.Warnings, warning("start_moved", text, 0, n))
	}
	doc.Clock = build.NewClock(&clocks)
	if s.fair != nil {
		doc.Fairness = s.fair.Result()
	}
	begin := [2]int64{s.clock.Begin(), s.clock.Begin() + int64(clocks.OffsetMS*1e6)} // by the clock of each capture, ns
	if clocks.Unknown {
		begin[pair.AtReceiver] = r.clock.Begin()
		doc.Warnings = append(doc.Warnings, warning("clocks_unknown", "times of the two captures cannot be compared, so delays between them are absent: "+clocks.Nothing, 0, 1))
	}
	for e := range ends {
		ends[e].addClockStep(pair.End(e), doc.Clock, begin[e])
	}
	doc.Connections, doc.TCP = s.builder.Lists()
	if text := o.exchanged(doc, about); text != "" {
		doc.Warnings = append(doc.Warnings, warning(report.WarnExchanged, text, 0, 1))
	}
	o.limitTCP(doc)
	if o.Connection != AllConnections { // connections that only the receiver's capture has get their numbers only now
		doc.Connections = slices.DeleteFunc(doc.Connections, func(c report.Connection) bool { return c.ID != o.Connection })
		doc.TCP = doc.TCP[:0]
	}
	if text := clocks.Warning(); text != "" {
		doc.Warnings = append(doc.Warnings, warning("clock_step", text, 0, 1))
	}
	for e, n := range both.Unpaired() {
		if n > 0 {
			text := fmt.Sprintf("TCP connections of the %s's capture are not in the other one; their figures are those of one capture", *hostOf(pair.End(e)))
			doc.Warnings = append(doc.Warnings, warning("unpaired_"+string(*hostOf(pair.End(e))), text, 0, n))
		}
	}
	if len(flows) == 0 { // the reading was interrupted too early for an error
		doc.Warnings = append(doc.Warnings, warning("nothing_paired", "the two captures have no TCP connection in common", 0, 1))
	}
	o.verdicts().Document(doc)
	return doc
}

// limitTCP removes what was not asked for about plain TCP connections.
func (o *Options) limitTCP(doc *report.Document) {
	switch o.Detail {
	case report.NoTCP:
		doc.LeftOutTCP, doc.TCP = len(doc.TCP), nil
	case report.Summary:
		for i := range doc.TCP {
			doc.TCP[i].Shorten()
		}
	}
}

func hostOf(e pair.End) *report.Host {
	h := [...]report.Host{report.SenderHost, report.ReceiverHost}[e]
	return &h
}

// addClockStep adds the steps of this capture's clock to the report on both clocks. The
// reader has corrected the timestamps for these steps, so package pair sees only
// smaller steps in the delays. The report has the largest step.
func (e *captureEnd) addClockStep(which pair.End, k *report.Clock, begin int64) {
	if e.clock == nil {
		return
	}
	steps, _ := e.clock.Steps()
	for i := range steps {
		x := &steps[i]
		lead := float64(x.Size) / 1e6
		if which == pair.AtSender {
			lead = -lead
		}
		if k.Step == nil || math.Abs(lead) > math.Abs(*k.Step) {
			at := float64(x.Time-begin) / 1e9
			k.Step, k.StepS = &lead, &at
		}
	}
}
