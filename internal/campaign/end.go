package campaign

import (
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// mixesEnds reports whether a run is a report of both hosts that was made without --end.
func (r *Run) mixesEnds() bool { return r.Both && r.End == "" }

// dropOtherEnd removes from a report without a choice of the end the figures of the receiver's
// capture that do not go with the delays and round trips beside them, which are the sender's.
func (r *Run) dropOtherEnd() {
	if !r.mixesEnds() {
		return
	}
	kept := 0
	for i, name := range r.Names {
		if m, _ := metricOf(name); m.FromTwo("") == m.FromTwo(catalogue.AtSender) {
			r.Names[kept], r.Values[kept] = name, r.Values[i]
			kept++
		}
	}
	r.Names, r.Values = r.Names[:kept], r.Values[:kept]
}

// EndProblem returns why a run has no figures of an end; empty if it has them.
func (r *Run) EndProblem(end report.Host) string {
	if !r.Both || end == "" || r.End == end || r.mixesEnds() && end == report.SenderHost {
		return ""
	}
	have := r.End
	if have == "" {
		have = report.SenderHost
	}
	return fmt.Sprintf("its report has the figures of the %s's capture, not of the %s's; --end %s takes them, or analyze --sender --receiver --end %s makes another report", have, end, have, end)
}

// endOf returns whose capture a figure of the run comes from; empty where that is not known.
func (r *Run) endOf(figure string) string {
	if r.Both {
		m, _ := metricOf(figure)
		return m.FromTwo(string(r.End))
	}
	d, _, _ := strings.Cut(figure, ".")
	return r.SeriesEnd(report.Direction(d))
}

// SeriesEnd returns whose capture the series of a direction come from; empty where that is not known.
func (r *Run) SeriesEnd(d report.Direction) string {
	switch {
	case r.Both && r.End == report.ReceiverHost:
		return catalogue.AtReceiver
	case r.Both:
		return catalogue.AtSender
	case r.Vantage == report.VantageMiddle:
		return catalogue.AtMiddle
	case r.Vantage == report.VantageUnknown, r.Vantage == "":
		return ""
	case (r.Vantage == report.VantageA) == (d == report.A2B):
		return catalogue.AtSender
	}
	return catalogue.AtReceiver
}

// AnyBoth reports whether any run has captures of both hosts.
func (s *Set) AnyBoth() bool {
	return slices.ContainsFunc(s.Members(), func(m *Member) bool { return m.Both })
}

// ofRuns returns what is so of a figure in the runs of scenarios that have it, each text once.
func ofRuns(scenarios []*Scenario, figure string, of func(r *Run, figure string) string) (all []string) {
	for _, sc := range scenarios {
		for _, m := range sc.Runs {
			if _, ok := m.Figure(figure); ok {
				all = append(all, of(m.Run, figure))
			}
		}
	}
	return distinct(all)
}

// endOf returns whose captures a figure comes from in all runs that have it.
func endOf(figure string, scenarios ...*Scenario) string {
	return sameEnd(ofRuns(scenarios, figure, (*Run).endOf))
}

// sameEnd returns the only end of a list; "several" if they differ.
func sameEnd(ends []string) string {
	switch ends = distinct(ends); len(ends) {
	case 0:
		return ""
	case 1:
		return ends[0]
	}
	return catalogue.SeveralEnds
}

// endNote says which rows of a table come from whose captures: first the end of most rows, then
// the rows that come from elsewhere.
func (l *Layout) endNote() string {
	var rows bykey.Lists[string]
	for _, f := range l.Figures {
		if end, name := l.ends[f], l.rowMetric(f); end != "" && !slices.Contains(rows.Of[end], name) {
			rows.Add(end, name)
		}
	}
	order := rows.Keys
	if len(order) == 0 {
		return ""
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(rows.Of[b]) - len(rows.Of[a]) })
	var text strings.Builder
	text.WriteString("figures " + catalogue.EndWords(order[0]))
	for _, end := range order[1:] {
		text.WriteString("; " + strings.Join(rows.Of[end], ", ") + " " + catalogue.EndWords(end))
	}
	return text.String()
}

// rowMetric names the metric of a figure's row, without path and statistic.
func (l *Layout) rowMetric(figure string) string {
	if name := l.names[figure]; name != "" {
		return strings.TrimSuffix(name, ofReceiver)
	}
	m, _ := metricOf(figure)
	if m.Name == "" {
		return figure
	}
	return strings.ReplaceAll(m.Name, "_", " ")
}

// ofReceiver marks a row from the receiver's captures among rows from the sender's.
const ofReceiver = " (receiver)"
