package metrics

import (
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// pairUnit has the metrics that only the captures of both hosts show: package pair
// measures them.
var pairUnit = &unit{rows: pairRows, report: new(pairReport)}

var pairRows = []catalogue.Metric{
	{
		Name: "owd", JSON: "owd_ms", Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "One-way delay of each packet with payload: its capture time at the receiver less its capture time at the sender, corrected for the difference of the clocks. A super-segment counts once per segment.",
		Formula:    "arrival - sending - d for data to the receiver of the pair, arrival - sending + d for data from it. d is by how much the clock of the receiver's capture is ahead: offset_ms + drift_ppm of the time since the first packet + step (see clock)",
		Source:     "RFC 7679", Evidence: catalogue.Evidence{Both: catalogue.Matched},
		Caveats: "An offset of the clocks cannot be told from an asymmetric path: see clock. Where no packet with payload arrived it is that of the other packets. Where a drift or a step is taken out, the figures rest on a sample: every delay up to 8,192 in a direction, then every second, fourth and so on. A packet that would arrive more than 0.1 ms before it was sent has a wrong time. It is left out, also from end_to_end_delay. There are no values if more than one of eight packets are such, or if no offset of the clocks is possible.",
	},
	{
		Name: "ack_owd", JSON: "ack_owd_ms", Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "One-way delay of the packets without payload that this side sends, mostly ACKs; RSTs are left out.",
		Source:     "RFC 7679", Evidence: catalogue.Evidence{Both: catalogue.Matched},
		Caveats: "Of several equal packets, the first counts as the one that arrived.",
	},
	{
		Name: "ipdv", JSON: "ipdv_ms", Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: catalogue.Distribution,
		Definition: "One-way delay of a packet minus that of the packet sent just before it. A pair gives no value if one of the two was lost.",
		Source:     "RFC 3393 Section 2.2", Evidence: catalogue.Evidence{Both: catalogue.Matched},
	},
	{
		Name: "jitter", JSON: "jitter_ms", Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Interarrival jitter: its running value at each arrival.",
		Formula:    "J + (|D| - J) / 16, D = difference of the one-way delays of two arrivals in a row",
		Source:     "REC16; RFC 3550 Section 6.4.1", Evidence: catalogue.Evidence{Both: catalogue.Matched},
	},
	{
		Name: "network", JSON: "network", Unit: catalogue.Composite, Levels: catalogue.InSubflowDir, Better: catalogue.NeitherIsBetter, Form: "*Network",
		Definition: "What happened between the two captures: packets matched, lost bytes, duplicates, reordering on the way, packets that either capture missed, what middleboxes changed.",
		Source:     "RFC 4737 Sections 3, 4.3", Evidence: catalogue.Evidence{Both: catalogue.Matched},
	},
	{
		Name: "end_to_end_delay", JSON: "end_to_end_delay_ms", Unit: "ms", Levels: catalogue.InConnDir, Better: catalogue.LowerIsBetter, Form: "*DeliveryStat",
		Definition: "Time from the first transmission of a byte at one host until this byte and all lower ones have arrived at the other. Chunks weigh by their bytes.",
		Formula:    "owd + in_order_wait", Source: "REC16", Evidence: catalogue.Evidence{Both: catalogue.Matched},
		Caveats: "Bytes are left out and counted (unmatched_bytes) if the sender's capture missed their first transmission: it shows only copies that left later.",
	},
}

// Names of these figures, of a subflow's direction and of a connection's.
var subflowPairFigures, connPairFigures = figuresAt(pairRows, catalogue.OfSubflowDir), figuresAt(pairRows, catalogue.OfConnectionDir)

// SubflowPairFigures returns the names of the figures of a subflow's direction that only
// the captures of both hosts show. The caller must not change the list.
func SubflowPairFigures() []string { return subflowPairFigures }

// figuresAt returns the names in JSON of the metrics that a level has.
func figuresAt(rows []catalogue.Metric, at catalogue.Level) (names []string) {
	for i := range rows {
		if slices.Contains(rows[i].Levels, at) {
			names = append(names, rows[i].JSON)
		}
	}
	return names
}

type pairReport struct{}

func (*pairReport) reportSubflow(v *view, _ *report.SubDir) {
	v.SetAll(TwoCaptures, subflowPairFigures...)
}

func (*pairReport) reportConnection(v *view, _ *report.ConnDir) {
	v.SetAll(TwoCaptures, connPairFigures...)
}
