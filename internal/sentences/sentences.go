// Package sentences makes the words of verdicts: headline, sentence, what to do, and what explain says of them.
// It fills the templates of package diagnose (verdicts/*.txt) with the facts of a verdict. No judge
// imports it, and nothing decides by its words.
package sentences

import (
	"cmp"
	"fmt"
	"slices"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/report"
)

// Words makes the words of the verdicts of a report, for one goroutine at a time.
type Words struct {
	Kernel Kernel               // that remedies are for; empty for one that nobody named
	Hosts  []report.HostRecords // name the addresses and devices of commands

	version int                          // of the protocol of the current connection, see versionOf
	hosts   map[report.Side]string       // its ends, for people
	last    map[report.VerdictCode]*said // bounded by the codes
	items   []item                       // memory for the facts of a verdict
}

// said are the words of a verdict, and what they say: thousands of connections have the same verdict.
type said struct {
	version                int
	place                  place
	items                  []item
	headline, text, remedy string
}

// item is a fact of a verdict.
type item struct {
	name, text string
	value      float64
	number     bool // it has a value
	subflow    int
}

// word returns a fact that is a word.
func word[T ~string](name string, text T) item { return item{name: name, text: string(text)} }

// Connection makes the words of the verdicts on a connection.
func (w *Words) Connection(c *report.Connection) {
	var ends [2]string
	if len(c.Subflows) > 0 {
		ends = [2]string{c.Subflows[0].A.Addr, c.Subflows[0].B.Addr}
	}
	w.all(report.Known(c.Verdicts), c.Version, ends, func(v *report.Verdict) place { return w.placeOf(v, c) })
}

// TCP makes the words of the verdicts on a connection of plain TCP.
func (w *Words) TCP(t *report.TCP) {
	w.all(t.Verdicts, t.RequestedVersion, [2]string{}, func(*report.Verdict) place { return place{} })
}

// all makes the words of the verdicts on a connection between hosts with these addresses. placeOf returns where the
// remedy of one acts.
func (w *Words) all(verdicts []report.Verdict, version *int, ends [2]string, placeOf func(*report.Verdict) place) {
	if len(verdicts) > 0 {
		w.version = versionOf(version)
		w.hosts = map[report.Side]string{report.SideA: host("a", ends[0]), report.SideB: host("b", ends[1])}
	}
	for i := range verdicts {
		w.verdict(&verdicts[i], placeOf(&verdicts[i]))
	}
}

// verdict makes the words of a verdict.
func (w *Words) verdict(v *report.Verdict, at place) {
	w.take(v)
	last := w.last[v.Code]
	if last == nil || last.version != w.version || last.place != at || !slices.Equal(last.items, w.items) {
		last = &said{version: w.version, place: at, items: slices.Clone(w.items)}
		w.say(last, diagnose.Kinds()[v.Code])
		if w.last == nil {
			w.last = map[report.VerdictCode]*said{}
		}
		w.last[v.Code] = last
	}
	v.Headline, v.Text, v.Remedy = last.headline, last.text, last.remedy
}

// take takes the facts of a verdict: those that all have, and then its own.
func (w *Words) take(v *report.Verdict) {
	w.items = append(w.items[:0], word("form", v.Form), word("severity", v.Severity), word("host_a", w.hosts[report.SideA]), word("host_b", w.hosts[report.SideB]))
	if v.Subflow != nil {
		w.items = append(w.items, item{name: "subflow", value: float64(*v.Subflow), number: true})
		if v.Path != nil {
			w.items = append(w.items, word("path", fmt.Sprintf("subflow %d (%s)", *v.Subflow, *v.Path)))
		}
	}
	if v.Cause != nil {
		w.items = append(w.items, word(causeOf, v.Cause.Code), word("cause_host", w.hosts[report.Known(v.Cause.Host)]))
	}
	if v.Direction != nil {
		ends, from := [2]string{"a", "b"}, v.Direction.Sender()
		w.items = append(w.items, word("sender", ends[from]), word("receiver", ends[1-from]))
	}
	for k := range v.Parameters {
		p := &v.Parameters[k]
		w.items = append(w.items, item{p.Name, p.Text, report.Known(p.Value), p.Value != nil, report.Known(p.Subflow)})
	}
	for k := range v.Evidence {
		if p := &v.Evidence[k]; p.Name != "" { // else no sentence has it
			w.items = append(w.items, item{p.Name, "", report.Known(p.Value), p.Value != nil, report.Known(p.Subflow)})
		}
	}
}

// facts are the data of a template: of each name the number, or else the word.
type facts map[string]any

// Keys of facts that no template names.
const (
	items      = "" // all facts, in their order
	settingsOf = "settings of"
	causeOf    = "cause of"
)

// facts returns the data for the templates of a verdict.
func (w *Words) facts(s *said) facts {
	out := facts{items: s.items}
	out[settingsOf] = func(code report.VerdictCode) string { return w.kernel(s).settings(diagnose.Kinds()[code], s.version) }
	for _, i := range s.items {
		if i.number {
			out[i.name] = i.value
		} else {
			out[i.name] = i.text
		}
	}
	return out
}

// text returns a word; empty where there is none.
func (f facts) text(name string) string {
	text, _ := f[name].(string)
	return text
}

// list returns all facts of a name, each with its word, its number and its subflow.
func (f facts) list(name string) (out []facts) {
	for _, i := range f[items].([]item) {
		if i.name == name {
			out = append(out, facts{"text": i.text, "value": i.value, "subflow": float64(i.subflow)})
		}
	}
	return out
}

// host names a host with its address, if that is known.
func host(side, address string) string {
	if address == "" {
		return side
	}
	return side + " (" + address + ")"
}

// mostHeadline is the greatest length of a headline, bytes.
const mostHeadline = 100

// say fills in the templates.
func (w *Words) say(s *said, k *diagnose.Kind) {
	f := w.facts(s)
	s.text = filled(k, k.Section("says", f.text("form")), f)
	if s.headline = filled(k, "headline", f); len(s.headline) > mostHeadline && f["subflow"] != nil { // a path may have a long label
		path := f["path"]
		f["path"] = fmt.Sprintf("subflow %.0f", f["subflow"])
		s.headline = filled(k, "headline", f)
		f["path"] = path
	}
	because, proved := f["because"]
	if proved {
		s.text += fmt.Sprintf(". This is because %s", because)
		if file, ok := f["because_file"]; ok {
			s.text += fmt.Sprintf(" (%s, line %.0f)", file, f["because_line"])
		}
	}
	if icmp := f.text("icmp"); icmp != "" {
		s.text += fmt.Sprintf(". ICMP of %s says: %s", f.text("icmp_from"), icmp)
	}
	if proved { // the general advice does not know the cause
		s.remedy = filled(k, "cause "+f.text(causeOf), f)
	}
	at, word := s.place, cmp.Or(f.text("advice"), f.text("form"))
	if s.remedy == "" && f["subflow"] == nil { // it may be about both hosts
		at = place{}
	}
	if s.remedy = cmp.Or(s.remedy, filled(k, k.Section("instead", word), f)); s.remedy == "" {
		s.remedy = cmp.Or(filled(k, k.Section("advice", word), f), plain(k, "does")) + w.kernel(s).settings(k, s.version)
	}
	if icmp := f.text("icmp"); icmp != "" {
		s.remedy = fmt.Sprintf("Look first at %s, which answers these packets with ICMP: %s. %s", f.text("icmp_from"), icmp, s.remedy)
	}
	at.device = cmp.Or(f.text("device"), at.device)
	s.remedy = at.in(s.remedy)
}

// kernel returns the kernel that a remedy is for.
func (w *Words) kernel(s *said) Kernel { return cmp.Or(w.Kernel, s.place.kernel) }
