package engine

import (
	"fmt"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// MadeBy returns the version and the options that a report with these options names.
func (o *Options) MadeBy() *report.MadeBy {
	out := report.Options{
		Labels:   report.List[string]{},
		Evidence: report.List[string]{},
		Interval: o.Interval.String(), Skip: o.Skip.String(), Until: o.Until.String(),
		Metrics: (catalogue.AllFamilies &^ o.Omit).String(), Filter: o.Filter, Decap: o.Decap, Vantage: string(o.Vantage),
		QoEAlpha: o.QoE.Alpha, QoEBeta: o.QoE.Beta, QoEGamma: o.QoE.Gamma,
		Regret: o.Regret, Fairness: o.Fairness,
		Bitrate: o.Player.Bitrate, Playout: o.Player.Playout.String(), MessageGap: o.Player.MessageGap.String(),
		Clock:     map[clock.Mode]string{clock.Auto: "auto", clock.None: "none", clock.Offset: "offset", clock.Drift: "drift"}[o.Clock],
		Direction: string(o.Direction),
	}
	if len(o.Receiver) > 0 {
		out.End = string(o.End)
	}
	for _, l := range o.Labels {
		out.Labels = append(out.Labels, fmt.Sprintf("%v=%s", l.Prefix, l.Name))
	}
	for _, s := range o.Evidence {
		text := s.Path
		if s.End != hosts.NoEnd {
			text = string(s.End) + "=" + text
		}
		out.Evidence = append(out.Evidence, text)
	}
	if o.Connection != AllConnections {
		id := o.Connection
		out.Connection = &id
	}
	return &report.MadeBy{Version: o.Version, Options: out}
}
