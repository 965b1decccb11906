package evidence

import (
	"cmp"
	_ "embed" // the table
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// A term is a figure of records, a series of which each row of a socket may be a value, or a count of rows that
// causes.json asks for. Its value and conditions are expressions of the fields of a row; see [ofRow].
type term struct {
	catalogue.Metric
	Value    string   `json:"value"`
	When     []string `json:"when"`     // a row without one of these has no value
	MPTCP    bool     `json:"mptcp"`    // of a socket of Multipath TCP
	Incoming bool     `json:"incoming"` // of the data that the host receives
	Take     string   `json:"take"`     // of the values of rows: "all", for a distribution; "last"; "max"; how many "rows" have one; or "count", for causes
	Cite     string   `json:"cite"`     // the row that stands for all: that with the "most"; else the first one
	Absent   string   `json:"absent"`   // why there may be none, if not because ss did not print it
	Printed  string   `json:"printed"`  // whether this ss prints a last value; see [term.isPrinted]
	Over     string   `json:"over"`     // the series of the packets over which this one is drawn; empty for none
	What     string   `json:"what"`     // what the kernel calls it there

	name    string // in reports, and in causes.json
	at      []int  // the place in the part of the report that has it; nil for none
	value   func(*reading) float64
	printed func(*reading) float64
	when    []func(*reading) float64
}

//go:embed terms.json
var termRows []byte

// terms are the rows of terms.json: the figures of records in the order of the report, as rows of the catalogue. The
// formula says where ss prints it. Those of no report are in series.csv only, and those without a definition are for
// plots alone: what kernels say in the unit, and in the direction of the data, of a figure of the packets; or for causes.
//
// Causes count rows of a TCP socket by what they show:
//   - "sent": it sent data
//   - "waiting": data that was written to the subflow is not sent
//   - "at window": the congestion window is used up
//   - "paced": the delivery rate is near the pacing rate
//   - "room": nothing waits, and the congestion window is not used up
//
// Of a socket of Multipath TCP they have the parts of the "send" and the "receive" buffer in use, and their limits. Of the
// receive buffer "little" is unread, or at least half: "full". A row is "ended" where more than little is unread in
// CLOSE-WAIT: all data had come, so that nothing that waits is out of order.
var terms = sync.OnceValue(func() []*term {
	all, from := catalogue.Read[[]*term](termRows), string(report.FromKernel)
	for _, x := range all {
		x.Levels, x.Better = []catalogue.Level{catalogue.OfReport}, catalogue.NeitherIsBetter
		x.Evidence = catalogue.Evidence{Sender: from, Receiver: from, Both: from}
		part := reflect.TypeFor[report.SubflowKernel]()
		if x.MPTCP {
			part = reflect.TypeFor[report.ConnectionKernel]()
		}
		x.name = cmp.Or(strings.TrimPrefix(strings.TrimPrefix(x.JSON, "subflows."), "kernel."), x.Name)
		for f := range part.Fields() {
			if report.JSONName(f) == x.name {
				x.at = f.Index
			}
		}
		x.value, x.printed = compile(x.Value, ofRow), compile(cmp.Or(x.Printed, "1"), ofRow)
		for _, text := range x.When {
			x.when = append(x.when, compile(text, ofRow))
		}
	}
	return all
})

// sentTerm is the figure of the bytes sent of a TCP socket.
var sentTerm = sync.OnceValue(func() *term {
	return terms()[slices.IndexFunc(terms(), func(x *term) bool { return x.name == "bytes_sent" && !x.MPTCP })]
})

// Terms returns what explain says of the figures of records. Their names begin with kernel_, as in
// series.csv and compare.
func Terms() (all []catalogue.Metric) {
	for _, x := range terms() {
		if x.Definition != "" {
			all = append(all, x.Metric)
		}
	}
	return all
}

// SeriesNames returns the names of all series that records have, but for those of figures alone.
func SeriesNames() (names []string) {
	for _, m := range Terms() {
		if m.Series {
			names = append(names, m.Name)
		}
	}
	return names
}

// OfFigures reports whether a series is one that figures alone have. No table has it.
func OfFigures(name string) bool {
	return slices.ContainsFunc(terms(), func(x *term) bool { return x.Definition == "" && x.Series && x.Name == name })
}

// Overlay is a series of the kernel that is drawn over one of the packets.
type Overlay struct {
	Series string
	What   string // what the kernel calls it
}

// Overlays returns the series of kernels that are drawn over a series of the packets.
func Overlays(packets string) (out []Overlay) {
	for _, x := range terms() {
		if x.Over == packets {
			out = append(out, Overlay{x.Name, x.What})
		}
	}
	return out
}

// reading is a row, and the values of the row before.
type reading struct {
	now, before *hosts.Values
	state       string
}

// ofRow returns the value that a row has of a field, by the name that ss prints; with "?" behind it, one that is absent is
// 0. The value of the row before has "before" in front, and "in STATE" is 1 in a state.
func ofRow(name string) func(*reading) float64 {
	if state, ok := strings.CutPrefix(name, "in "); ok {
		return func(x *reading) float64 { return known(x.state == state) }
	}
	name, before := strings.CutPrefix(name, "before ")
	name, zero := strings.CutSuffix(name, "?")
	f := hosts.FieldOf(name)
	return func(x *reading) float64 {
		v := x.now
		if before {
			v = x.before
		}
		if !zero && !v.Has(f) {
			return math.NaN()
		}
		return v.Value(f)
	}
}

// of returns what a row says, NaN if it does not say it.
func (x *term) of(r *reading) float64 {
	for _, when := range x.when {
		if math.IsNaN(when(r)) {
			return math.NaN()
		}
	}
	return x.value(r)
}

// isPrinted reports whether the ss that wrote a file prints the field: an expression of the largest values in the file. As
// long as nothing proves the contrary, a field that is absent is 0. An old ss is told by a field that it prints nowhere
// although other fields of the file prove that its value cannot be 0: who has sent data segments has sent bytes, and who
// has more than the SYN acknowledged, which counts 1, has, too.
func (x *term) isPrinted(f *hosts.File) bool {
	return !math.IsNaN(x.printed(&reading{now: &f.Largest[one(x.MPTCP)]}))
}

// figure is what the rows that have a value of a term say.
type figure struct {
	n           int64
	least, most float64
	values      stats.Dist // of one socket only
	cited       sample
}

// figures has the figures of a socket by name.
type figures map[string]*figure

// of returns a figure, an empty one if there is none.
func (x figures) of(name string) *figure { return cmp.Or(x[name], &figure{}) }

// add enters the values that a row of a socket has.
func (x figures) add(r *hosts.Row, before *hosts.Values) {
	at := reading{&r.Values, before, r.State}
	for _, t := range terms() {
		if t.MPTCP != r.MPTCP || t.Take == "" || t.Take == "last" {
			continue
		}
		v := t.of(&at)
		if math.IsNaN(v) {
			continue
		}
		f := x[t.name]
		switch {
		case f == nil:
			f = &figure{least: v, most: v, cited: sampleOf(r)}
			x[t.name] = f
		case t.Cite == "most" && v > f.most:
			f.cited = sampleOf(r)
		}
		f.n, f.least, f.most = f.n+1, min(f.least, v), max(f.most, v)
		if t.Take == "all" {
			f.values.Add(v)
		}
	}
}

// merge adds the rows of another socket, but for their distributions.
func (x figures) merge(name string, o *figure) {
	f := x[name]
	if f == nil {
		x[name] = &figure{n: o.n, least: o.least, most: o.most, cited: o.cited}
		return
	}
	f.n, f.least, f.most = f.n+o.n, min(f.least, o.least), max(f.most, o.most)
}

// value returns a number of a figure, NAME.n, NAME.least, NAME.most, or NAME.q0.5, which is a
// quantile. It is NaN if it is not known.
func (x figures) value(text string) float64 {
	name, take, _ := strings.Cut(text, ".")
	switch f := x.of(name); take {
	case "n":
		return float64(f.n)
	case "least":
		return f.least
	case "most":
		return f.most
	default:
		p, err := strconv.ParseFloat(strings.TrimPrefix(take, "q"), 64)
		if err != nil {
			return math.NaN()
		}
		return f.values.Quantiles(p)[0]
	}
}

// fill fills in the figures of the part of the report that k points to; of those that there are not, it
// notes why. A socket that fell back has no data sequence numbers.
func (s *socket) fill(k any, unavailable *report.Reasons) {
	part := reflect.ValueOf(k).Elem()
	for _, x := range terms() {
		if x.MPTCP != s.mptcp || x.at == nil {
			continue
		}
		to, f, last := part.FieldByIndex(x.at), s.figures.of(x.name), x.of(&reading{now: &s.values})
		why, fell := cmp.Or(x.Absent, whyNotPrinted), s.fallback && x.name == "unacknowledged_bytes"
		switch {
		case x.Take == "max":
			to.SetInt(int64(f.most))
			continue
		case x.Take == "rows":
			to.SetInt(f.n)
			continue
		case x.Take == "last" && s.info > 0 && x.isPrinted(s.last.at.File) && !math.IsNaN(last):
			to.Set(reflect.New(to.Type().Elem()))
			to.Elem().Set(reflect.ValueOf(last).Convert(to.Type().Elem()))
			continue
		case x.Take == "last":
			why = s.without(whyNotPrinted)
		case f.n > 0 && !fell:
			v := f.values.Describe()
			to.Set(reflect.ValueOf(&report.KernelStat{Avg: v.Mean, Min: v.Min, Max: v.Max, P50: v.P50, P95: v.P95, Stddev: v.Stddev, Samples: v.N, Evidence: report.FromKernel}))
			continue
		case !s.mptcp && s.info == 0:
			why = whyNoRow
		case fell:
			why = whyFallback
		}
		unavailable.Set(x.name, why)
	}
}
