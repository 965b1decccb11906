package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/gate"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// gates is the flag that sets limits on the figures of a report.
type gates struct {
	texts  []string
	parsed []*gate.Gate
}

func (o *gates) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&o.texts, "fail-on", nil, "exit with status 3 where a figure is beyond a limit: `'FIGURE < LIMIT'`, as in 'b2a.goodput < 5Mbit/s', 'path.LTE.srtt.p95 > 120ms', 'subflows < 2', 'events.mp_fail > 0' or 'verdicts.path_died > 0'; may be repeated")
	completeStart(c, "fail-on", gateStarts)
	registerForms(c)
}

// gateStarts returns the beginnings of the values of --fail-on: metrics that have numbers, with
// the sign after which a worse value stands.
func gateStarts() []string {
	return append(described(metrics.Table(), func(m *catalogue.Metric) (string, bool) {
		if m.Better == catalogue.HigherIsBetter {
			return "<", hasNumbers(m)
		}
		return ">", hasNumbers(m)
	}), gate.Counts()...)
}

// hasNumbers reports whether directions or subflows have a metric.
func hasNumbers(m *catalogue.Metric) bool {
	return slices.ContainsFunc(m.Levels, func(l catalogue.Level) bool {
		return l == catalogue.OfConnectionDir || l == catalogue.OfSubflowDir || l == catalogue.OfSubflow
	})
}

// check reads the gates. It refuses those on figures that are not computed.
func (o *gates) check(f *families, direction report.Direction) (err error) {
	o.parsed = nil
	for _, text := range o.texts {
		g, e := gate.Parse(text)
		switch {
		case e != nil && slices.Contains(kinds(), strings.TrimSpace(text)):
			e = fmt.Errorf("--fail-on %s: that is a verdict; mpanalyze why --fail-on %s fails on it", text, text)
		case e != nil:
			e = fmt.Errorf("--fail-on %w", e)
		case direction != "" && g.Of.Direction != "" && g.Of.Direction != direction:
			e = fmt.Errorf("--fail-on %q: --direction %s leaves %s out", text, direction, g.Of.Direction)
		default:
			e = f.refuse("--fail-on "+text, g.Of.Metric.Name, g.Of.Metric.Family)
			o.parsed = append(o.parsed, g)
		}
		err = errors.Join(err, e)
	}
	return err
}

// judge returns an error with its own exit status if a figure is beyond a limit, or cannot be judged.
func (o *gates) judge(a *app, s report.Source) error {
	if len(o.parsed) == 0 {
		return nil
	}
	list, judged, err := gate.Judge(s, o.parsed)
	switch {
	case err != nil:
		return err
	case judged == 0:
		return &statusError{ExitFailed, "--fail-on: no connection with Multipath TCP carried data; look at the capture, --filter and --connection"}
	}
	return a.judged("", list...)
}
