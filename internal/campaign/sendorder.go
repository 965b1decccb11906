package campaign

import (
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/report"
)

// sendOrderWords is the name of the order that a capture at the sender shows.
const sendOrderWords = "order of sending"

// isSendOrder reports whether a figure of a scenario describes the order of sending, and not
// of arrival, in any of its runs.
func (sc *Scenario) isSendOrder(figure string) bool {
	if m, _ := metricOf(figure); m.Evidence.Sender != string(report.SendOrder) {
		return false
	}
	d, _, _ := strings.Cut(figure, ".")
	return slices.ContainsFunc(sc.Runs, func(m Member) bool {
		return slices.Contains(m.SendOrder, report.Direction(d))
	})
}

// sendOrderScenarios returns the scenarios in which a figure describes the order of sending;
// all says that these are all scenarios that have the figure.
func (s *Set) sendOrderScenarios(figure string) (names []string, all bool) {
	all = true
	for _, sc := range s.Scenarios {
		switch {
		case len(sc.values(figure)) == 0:
		case sc.isSendOrder(figure):
			names = append(names, sc.Name)
		default:
			all = false
		}
	}
	return names, all && len(names) > 0
}

// dropSendOrder removes the order of sending from rows that show the order of arrival.
func (l *Layout) dropSendOrder(s *Set) {
	l.left = map[string][]string{}
	var rows, names []string
	for _, f := range l.Figures {
		if sent, all := s.sendOrderScenarios(f); len(sent) > 0 && !all {
			l.left[f] = sent
			rows, names = append(rows, rowName(l.heads(f))), append(names, sent...)
		}
	}
	if len(rows) == 0 {
		return
	}
	l.Notes = append(l.Notes, fmt.Sprintf("%s: of %s absent, for captures at the sender show the %s",
		strings.Join(rows, ", "), strings.Join(distinct(names), ", "), sendOrderWords))
}

// dropUnsupported removes the rows of rec16 that no run supports, and adds notes with the
// reasons.
func (l *Layout) dropUnsupported(s *Set) {
	var reasons bykey.Lists[string]
	l.Figures = slices.DeleteFunc(l.Figures, func(f string) bool {
		reason, name := "", l.names[f]
		m, _ := metricOf(f)
		arrives := func(sc *Scenario) bool { return len(sc.Runs) > 0 && !sc.isSendOrder(f) }
		switch {
		case m.Evidence.Sender == string(report.SendOrder) && !slices.ContainsFunc(s.Scenarios, arrives):
			reason = "captures at the sender show the " + sendOrderWords + ", not that of arrival"
		case s.has(f):
			return false
		case m.Evidence.Sender == "" && m.Evidence.Receiver == "":
			reason = "it takes captures at both hosts (reports of analyze --sender --receiver are runs, too)"
		default:
			reason, name = "no run has it; \"unavailable\" in their reports says why", rowName(l.heads(f))
		}
		if !slices.Contains(reasons.Of[reason], name) {
			reasons.Add(reason, name)
		}
		return true
	})
	for _, reason := range reasons.Keys {
		l.Notes = append(l.Notes, strings.Join(reasons.Of[reason], ", ")+" absent: "+reason)
	}
}

// sendOrder returns the directions in which a run shows the order of sending.
func (sc *Scenario) sendOrder() []report.Direction {
	out := []report.Direction{}
	for _, m := range sc.Runs {
		out = append(out, m.SendOrder...)
	}
	return distinct(out)
}
