package plot

import (
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// OtherHost returns the other host.
func OtherHost(h report.Host) report.Host {
	if h == report.SenderHost {
		return report.ReceiverHost
	}
	return report.SenderHost
}

// hostOf returns the host whose capture gives what both captures show, for an end of the data.
func (r *Run) hostOf(end string) report.Host {
	if end == catalogue.AtReceiver {
		return r.ReceivingHost()
	}
	return OtherHost(r.ReceivingHost())
}

// fromTwo returns the end that a series comes from, of captures of both hosts.
func fromTwo(name string, end report.Host) string {
	if found := catalogue.Lookup(metrics.Table(), name); len(found) > 0 {
		return found[0].FromTwo(string(end))
	}
	return string(end) // made of chunks
}

// Ends returns the hosts whose captures a figure's series come from: base has most of them, and
// far lists those of the other host. ok is false for a figure without series, and for one that
// shows both captures.
func (k *Kind) Ends(r *Run, names []string, end report.Host) (base report.Host, far []string, ok bool) {
	if k.Pair(names) || k.figures || !k.chunks && !k.dist && len(k.series) == 0 {
		return "", nil, false
	}
	base = r.hostOf(string(end))
	for _, name := range slices.Concat(k.series, k.names(names)) {
		if r.hostOf(fromTwo(name, end)) != base {
			far = append(far, name)
		}
	}
	return base, far, true
}

// On returns the same connection in a report on the capture of one host alone, with the series
// of that capture. It returns nil if the report has no such connection.
func (r *Run) On(o *Run) *Run {
	c := r.connection().Same(o.Document)
	if c == nil {
		return nil
	}
	there := *r
	there.Document, there.Store, there.Connection = o.Document, o.Store, c.ID
	return &there
}

// Take takes series from the run of the other host's capture.
func (r *Run) Take(other *Run, names []string) {
	subflows := map[int]int{}
	for i := range other.connection().Subflows {
		s := &other.connection().Subflows[i]
		if t := r.connection().SameSubflow(s); t != nil {
			subflows[s.ID] = t.ID
		}
	}
	for _, name := range names {
		r.Store.Take(other.Store, other.Connection, r.Connection, r.Direction, name, subflows)
	}
}

// addEnd says in the title of a figure of both hosts' captures at which end the figures were
// taken, and in the caption which metrics are of another one.
func (m *maker) addEnd(f *Figure, k *Kind, names []string) {
	end := m.runs[0].End
	if end == "" || k.Pair(names) || slices.ContainsFunc(m.runs, func(r *Run) bool { return r.End != end }) {
		return
	}
	f.Title += ", " + catalogue.EndWords(string(end))
	for _, from := range []string{catalogue.AtSender, catalogue.AtReceiver, catalogue.AtBoth} {
		var other []string
		for _, name := range k.names(names) {
			if from != string(end) && fromTwo(name, end) == from {
				other = append(other, lower(name))
			}
		}
		if len(other) > 0 {
			f.explain(strings.Join(other, ", ") + " " + catalogue.EndWords(from))
		}
	}
}

func lower(name string) string { return spelt.Replace(strings.ReplaceAll(name, "_", " ")) }
