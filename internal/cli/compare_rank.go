package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// rankOptions holds the flags of compare that rank scenarios.
type rankOptions struct {
	by     string
	limits []string
	steady string
	parsed campaign.Ranking // of all of these
}

// steadyTolerance is the largest difference of a share between groups of runs, in points of
// percent, that still counts as steady.
const steadyTolerance = 5

func (o *rankOptions) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.by, "rank", "", "rank the scenarios by this `METRIC`, as in bytes")
	f.StringSliceVar(&o.limits, "limit", nil, "rank only scenarios that keep these: a `LIST` of retransmission=PERCENT of the segments and, by the name of a path, the most that it carries, as in retransmission=2%,LTE=10%; may be repeated")
	f.StringVar(&o.steady, "steady", "", "apply the limits to each group of runs with one value of this `LABEL`, and let shares differ between groups by at most 5 points")
}

// check reads the limits.
func (o *rankOptions) check() (err error) {
	err = refuse(o.by == "" && (len(o.limits) > 0 || o.steady != ""), "--limit and --steady need --rank METRIC")
	r := campaign.Ranking{By: o.by, MaxRetransmission: -1, Steady: o.steady, Tolerance: steadyTolerance}
	for _, text := range o.limits {
		l, e := campaign.ParsePathLimit(text)
		if err = errors.Join(err, flagError("limit", e)); l.Path == "retransmission" {
			r.MaxRetransmission = l.Percent
		} else {
			r.MaxShare = append(r.MaxShare, l)
		}
	}
	o.parsed = r
	return err
}

// wanted reports whether to rank: --rank asks for it, or the table shows ranks. Such a table
// ranks by bytes if --rank is not given.
func (o *rankOptions) wanted(table string) bool {
	return o.by != "" || table == "mix" || table == "matrix"
}

// ranking resolves the metric to a figure.
func (o *rankOptions) ranking(set *campaign.Set, d report.Direction, style campaign.Style) campaign.Ranking {
	r := o.parsed
	if r.By == "" {
		r.By = "bytes"
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
		name, _ := o.against() // checked
		return campaign.GainTable(r, rows, name), nil
	}
	return campaign.MetricTable(r, rows), nil
}
