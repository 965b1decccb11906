package sentences

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/report"
)

// Words makes the words of the verdicts of a report, for one goroutine at a time.
type Words struct {
	Kernel Kernel               // that remedies are for; empty for one that nobody named
	Hosts  []report.HostRecords // name the addresses and devices of commands

	last  map[report.VerdictCode]*said // bounded by the codes
	items []item                       // memory for the facts of a verdict
}

// said are the words of a verdict, and what they say: thousands of connections have the same verdict.
type said struct {
	about                  about
	items                  []item
	headline, text, remedy string
}

// about is what a sentence has beside facts.
type about struct {
	form, path, hostA, hostB string
	cause                    report.CauseCode
	causeHost                report.Side
	severity                 report.Severity
	direction                report.Direction
	subflow, version         int
	place                    place
}

// item is a fact of a verdict.
type item struct {
	name, text string
	value      float64
	number     bool // it has a value
	subflow    int
}

// Connection makes the words of the verdicts on a connection.
func (w *Words) Connection(c *report.Connection) {
	if c.Verdicts == nil {
		return
	}
	x := about{version: versionOf(c.Version)}
	if len(c.Subflows) > 0 {
		x.hostA, x.hostB = c.Subflows[0].A.Addr, c.Subflows[0].B.Addr
	}
	for i := range *c.Verdicts {
		v := &(*c.Verdicts)[i]
		x.place = w.placeOf(v, c)
		w.verdict(v, x)
	}
}

// TCP makes the words of the verdicts on a connection of plain TCP.
func (w *Words) TCP(t *report.TCP) {
	for i := range t.Verdicts {
		w.verdict(&t.Verdicts[i], about{version: versionOf(t.RequestedVersion)})
	}
}

// verdict makes the words of a verdict.
func (w *Words) verdict(v *report.Verdict, x about) {
	x.form, x.severity, x.subflow = v.Form, v.Severity, known(v.Subflow, -1)
	x.path, x.direction = known(v.Path, ""), known(v.Direction, "")
	if v.Cause != nil {
		x.cause, x.causeHost = v.Cause.Code, known(v.Cause.Host, "")
	}
	w.items = w.items[:0]
	for k := range v.Parameters {
		p := &v.Parameters[k]
		w.items = append(w.items, item{p.Name, p.Text, known(p.Value, 0), p.Value != nil, known(p.Subflow, -1)})
	}
	for k := range v.Evidence {
		if p := &v.Evidence[k]; p.Name != "" { // else no sentence has it
			w.items = append(w.items, item{p.Name, "", known(p.Value, 0), p.Value != nil, known(p.Subflow, -1)})
		}
	}
	last := w.last[v.Code]
	if last == nil || last.about != x || !slices.Equal(last.items, w.items) {
		last = &said{about: x, items: slices.Clone(w.items)}
		w.say(last, diagnose.Kinds()[v.Code])
		if w.last == nil {
			w.last = map[report.VerdictCode]*said{}
		}
		w.last[v.Code] = last
	}
	v.Headline, v.Text, v.Remedy = last.headline, last.text, last.remedy
}

// known returns what p points to, or a value in its place.
func known[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// facts are the data of a template: of each name the number, or else the word.
type facts map[string]any

// Keys of facts that no template names.
const (
	items      = "" // all facts, in their order
	settingsOf = " "
)

// facts returns the data for the templates of a verdict.
func (w *Words) facts(s *said) facts {
	x := &s.about
	out := facts{items: s.items, "form": x.form, "severity": string(x.severity), "host_a": host("a", x.hostA), "host_b": host("b", x.hostB)}
	out[settingsOf] = func(code report.VerdictCode) string { return w.kernel(x).settings(diagnose.Kinds()[code], x.version) }
	if x.subflow >= 0 {
		out["subflow"] = float64(x.subflow)
		if x.path != "" {
			out["path"] = pathText(x)
		}
	}
	out["cause_host"] = out["host_"+string(x.causeHost)]
	switch x.direction {
	case report.A2B:
		out["sender"], out["receiver"] = "a", "b"
	case report.B2A:
		out["sender"], out["receiver"] = "b", "a"
	}
	for _, i := range s.items {
		if i.number {
			out[i.name] = i.value
		} else {
			out[i.name] = i.text
		}
	}
	return out
}

// pathText names the subflow with its path.
func pathText(x *about) string { return fmt.Sprintf("subflow %d (%s)", x.subflow, x.path) }

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
	f, form := w.facts(s), s.about.form
	s.text, s.remedy = filled(k, k.Section("says", form), f), ""
	if s.headline = filled(k, "headline", f); len(s.headline) > mostHeadline && s.about.subflow >= 0 { // a path may have a long label
		f["path"] = fmt.Sprintf("subflow %d", s.about.subflow)
		s.headline = filled(k, "headline", f)
		f["path"] = pathText(&s.about)
	}
	if because, ok := f["because"]; ok {
		s.text += fmt.Sprintf(". This is because %s", because)
		if file, ok := f["because_file"]; ok {
			s.text += fmt.Sprintf(" (%s, line %s)", file, strconv.FormatFloat(f["because_line"].(float64), 'f', 0, 64))
		}
	}
	for i, state := range f.list("explains") {
		s.text += []string{". It explains the time that time_account calls ", " and "}[min(i, 1)] + fmt.Sprintf("%s (%.0f %%)", state["text"], state["value"])
	}
	at := s.about.place
	if _, proved := f["because"]; proved { // the general advice does not know the cause
		s.remedy = filled(k, "cause "+string(s.about.cause), f)
	}
	if s.remedy == "" {
		s.remedy = w.advice(s, k, f)
		if s.about.subflow < 0 { // it may be about both hosts
			at = place{}
		}
	}
	s.remedy = at.in(s.remedy)
}

// advice returns what to do about a verdict whose cause no record proves.
func (w *Words) advice(s *said, k *diagnose.Kind, f facts) string {
	word, _ := f["advice"].(string)
	word = cmp.Or(word, s.about.form)
	instead, advice := k.Section("instead", word), k.Section("advice", word)
	if _, ok := k.Part(instead); ok {
		return filled(k, instead, f)
	}
	does := plain(k, "does")
	if _, ok := k.Part(advice); ok {
		does = filled(k, advice, f)
	}
	return does + w.kernel(&s.about).settings(k, s.about.version)
}

// kernel returns the kernel that a remedy is for.
func (w *Words) kernel(x *about) Kernel { return cmp.Or(w.Kernel, x.place.kernel) }
