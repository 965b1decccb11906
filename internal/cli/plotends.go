package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
	"mpanalyze/internal/timeline"
)

// addOther gives figures of captures of both hosts the series of the end that they show. The
// rows of a pair are those of one host's capture; series of the other host, and those of the
// order of arrival, come from an analysis of the other capture alone.
func (g *gathering) addOther(ctx context.Context, in *campaign.Input, r *drawnRun, configs []timeline.Config) error {
	if r.document.Clock == nil {
		return nil
	}
	end := report.Host("")
	if m := r.document.MadeBy; m != nil {
		end = report.Host(m.Options.End)
	}
	wanted := make([]timeline.Config, len(configs)) // of the other capture; empty where a figure does not need it
	give := map[int]func(other *plot.Run) error{}
	needed := ""
	for k, d := range g.o.drawings {
		r.of[k].End = end
		base, far, ok := d.kind.Ends(r.of[k], d.metrics, end)
		switch {
		case d.kind.Arrivals:
			wanted[k], needed = d.kind.ArrivalConfig(), d.kind.Name
			give[k] = func(other *plot.Run) error { r.of[k].Receiver = other; return nil }
		case ok && (base == report.ReceiverHost || len(far) > 0):
			wanted[k], needed = configs[k], d.kind.Name
			give[k] = func(other *plot.Run) error {
				there := r.of[k].On(other)
				if there == nil {
					return fmt.Errorf("the capture of the receiver has no such connection as connection %d of both captures", r.of[k].Connection)
				}
				if base == report.ReceiverHost {
					r.of[k], there = there, r.of[k]
				}
				r.of[k].Take(there, far)
				return nil
			}
		}
	}
	if needed == "" {
		return nil
	}
	others, err := g.readReceiver(ctx, in, r, wanted, needed)
	for k := range others {
		if give[k] != nil {
			err = cmp.Or(err, give[k](others[k]))
		}
	}
	return err
}

// readReceiver analyses the capture of the receiver alone, and returns a run for each figure. kind
// names a figure that needs it, for messages.
func (g *gathering) readReceiver(ctx context.Context, in *campaign.Input, r *drawnRun, configs []timeline.Config, kind string) (out []*plot.Run, err error) {
	if slices.Contains(runs.At(r.document, report.ReceiverHost), "-") {
		return nil, fmt.Errorf("--kind %s reads the capture at the receiver twice: name a file, not standard input", kind)
	}
	into := newStores(configs)
	doc, err := g.AtReceiver(ctx, in, r.document, func(eo *engine.Options) {
		eo.Rows, eo.Series, eo.Evidence = into, into.Wants, nil
		eo.Connection, eo.Direction, eo.Vantage = engine.AllConnections, "", g.Options.Options.Vantage
	})
	if doc == nil {
		return nil, err
	}
	for _, store := range into.list {
		out = append(out, &plot.Run{Document: doc, Store: store})
	}
	return out, nil
}
