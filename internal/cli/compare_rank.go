package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// rankOptions holds the flags of compare that rank scenarios.
type rankOptions struct {
	by                string
	maxRetransmission string
	maxShare          []string
	steady            string
}

// steadyTolerance is the largest difference of a share between groups of runs, in points of
// percent, that still counts as steady.
const steadyTolerance = 5

func (o *rankOptions) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.by, "rank", "", "rank the scenarios by this `METRIC`, as in bytes; of logs of ss bytes are those of the kernel, as with kernel_bytes_sent")
	f.StringVar(&o.maxRetransmission, "max-retransmission", "", "rank only scenarios that retransmit no more than this `percentage` of the segments")
	f.StringArrayVar(&o.maxShare, "max-share", nil, "rank only scenarios in which a path carries no more than this: `PATH=PERCENT`; may be repeated")
	f.StringVar(&o.steady, "steady", "", "apply the limits to each group of runs with one value of this `LABEL`, and let shares differ between groups by at most 5 points; LABEL=POINTS for another bound")
}

func (o *rankOptions) check() error {
	_, err := o.parse()
	limited := o.maxRetransmission != "" || len(o.maxShare) > 0 || o.steady != ""
	return errors.Join(err, refuse(o.by == "" && limited, "--max-retransmission, --max-share and --steady need --rank METRIC"))
}

// parse reads the limits.
func (o *rankOptions) parse() (campaign.Ranking, error) {
	r := campaign.Ranking{By: o.by, MaxRetransmission: -1, Tolerance: steadyTolerance}
	var errs []error
	percent := func(flag, text string) float64 {
		v, err := campaign.ParsePercent(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s %w", flag, err))
		}
		return v
	}
	if o.maxRetransmission != "" {
		r.MaxRetransmission = percent("max-retransmission", o.maxRetransmission)
	}
	for _, text := range o.maxShare {
		l, err := campaign.ParsePathLimit(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--max-share %w", err))
		}
		r.MaxShare = append(r.MaxShare, l)
	}
	label, points, given := strings.Cut(o.steady, "=")
	r.Steady = label
	if given {
		r.Tolerance = percent("steady", points)
	}
	return r, errors.Join(errs...)
}

// wanted reports whether to rank: --rank asks for it, or the table shows ranks. Such a table
// ranks by bytes if --rank is not given.
func (o *rankOptions) wanted(table string) bool {
	return o.by != "" || table == "mix" || table == "matrix"
}

// ranking resolves the metric to a figure.
func (o *rankOptions) ranking(set *campaign.Set, d report.Direction, style campaign.Style) campaign.Ranking {
	r, _ := o.parse() // checked before
	if r.By == "" {
		r.By = "bytes"
	}
	if r.By == "bytes" && set.OfLogs() || r.By == "kernel_bytes_sent" || r.By == campaign.AllPathsSent {
		r.By, r.Kernel = campaign.AllPathsSent, true
	}
	if f := set.FigureOf(r.By, d); f != "" {
		r.By = strings.TrimPrefix(f, string(d)+".")
	}
	r.Direction, r.Style = d, style
	return r
}

// layout makes the table that the flags ask for.
func (o *compareOptions) layout(r *campaign.Result, rows *campaign.Layout, rank campaign.Ranking) (*campaign.Table, error) {
	if o.factor != "" {
		return campaign.EffectTable(r.Effects, o.factor, rows), nil
	}
	if len(o.metrics) > 0 {
		return campaign.MetricTable(r, rows), nil
	}
	switch {
	case o.table == "matrix":
		return campaign.MatrixTable(r.Ranking, rank)
	case o.rank.wanted(o.table):
		return campaign.RankTable(r.Ranking, rank), nil
	case o.table == campaign.AggregationName:
		return campaign.AggregationTable(r.Aggregation, rows.Style), nil
	case o.table == "rec16":
		return campaign.GainTable(r, rows, o.reference)
	}
	return campaign.MetricTable(r, rows), nil
}
