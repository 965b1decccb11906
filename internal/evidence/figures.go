package evidence

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// A term is a figure of records, a series of which each row of a socket may be a value, or both.
type term struct {
	catalogue.Metric
	Field    hosts.Field `json:"field"`
	Scale    float64     `json:"scale"`    // unit of ss in that of the figure; 0 if they are the same
	Zero     bool        `json:"zero"`     // ss leaves the field out if it is 0
	Bytes    bool        `json:"bytes"`    // of segments of the size that the row prints
	MPTCP    bool        `json:"mptcp"`    // of a socket of Multipath TCP
	Incoming bool        `json:"incoming"` // of the data that the host receives
	Take     string      `json:"take"`     // of the values of rows: "all", for a distribution; "last"; "max"; or how many "rows" have one
	Absent   string      `json:"absent"`   // why there may be none, if not because ss did not print it
	Printed  ability     `json:"printed"`  // of a last value
	Over     string      `json:"over"`     // the series of the packets over which this one is drawn; empty for none
	What     string      `json:"what"`     // what the kernel calls it there

	name string // in reports
	at   []int  // the place in the part of the report that has it
}

// terms are the rows of terms.json: the figures of records in the order of the report, as rows of the catalogue. The
// formula says where ss prints it. Those of no report are in series.csv only, and those without a definition are for
// plots alone: what kernels say in the unit, and in the direction of the data, of a figure of the packets.
var terms = sync.OnceValue(func() []term {
	all, from := read[[]term]("terms.json"), string(report.FromKernel)
	for i := range all {
		x := &all[i]
		x.Levels, x.Better = []catalogue.Level{catalogue.OfReport}, catalogue.NeitherIsBetter
		x.Evidence = catalogue.Evidence{Sender: from, Receiver: from, Both: from}
		part := reflect.TypeFor[report.SubflowKernel]()
		if x.MPTCP {
			part = reflect.TypeFor[report.ConnectionKernel]()
		}
		x.name = strings.TrimPrefix(strings.TrimPrefix(x.JSON, "subflows."), "kernel.")
		for f := range part.Fields() {
			if report.JSONName(f) == x.name {
				x.at = f.Index
			}
		}
	}
	return all
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
	return slices.ContainsFunc(terms(), func(x term) bool { return x.Definition == "" && x.Name == name })
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

// value returns what a row says; has is false if it does not say it.
func (x *term) value(r *hosts.Row) (v float64, has bool) {
	v, has = r.Value(x.Field), x.Zero || r.Has(x.Field)
	if x.Scale != 0 {
		v *= x.Scale
	}
	if x.Bytes {
		mss := r.Value(hosts.MSS)
		return v * mss, has && mss > 0
	}
	return v, has
}

// figure returns the values that the rows of the socket have of a figure, by its name in reports.
func (s *socket) figure(name string) *stats.Dist {
	return s.figures(slices.IndexFunc(terms(), func(x term) bool { return x.MPTCP == s.mptcp && x.name == name }))
}

// figures returns the values of the i-th term.
func (s *socket) figures(i int) *stats.Dist {
	if s.figs == nil {
		s.figs = make([]stats.Dist, len(terms()))
	}
	return &s.figs[i]
}

// addFigures enters the values that a row has.
func (s *socket) addFigures(r *hosts.Row) {
	for i, all := 0, terms(); i < len(all); i++ {
		if x := &all[i]; x.MPTCP == s.mptcp && x.Take != "" && x.Take != "last" {
			if v, has := x.value(r); has {
				s.figures(i).Add(v)
			}
		}
	}
}

// fill fills in the figures of the part of the report that k points to; of those that there are not, it
// notes why. A socket that fell back has no data sequence numbers.
func (s *socket) fill(k any, unavailable *report.Reasons) {
	part, all := reflect.ValueOf(k).Elem(), terms()
	for i := range all {
		x := &all[i]
		if x.MPTCP != s.mptcp || x.Take == "" {
			continue
		}
		why := cmp.Or(x.Absent, whyNotPrinted)
		fell := s.fallback && x.Field == hosts.Unacked
		switch d, to := s.figures(i), part.FieldByIndex(x.at); {
		case x.Take == "max":
			to.SetInt(int64(d.Max()))
			continue
		case x.Take == "rows":
			to.SetInt(d.N())
			continue
		case x.Take == "last" && s.info > 0 && s.of.prints(s.last.at.File, x.Printed) && (x.Printed != inRow || s.values.Has(x.Field)):
			to.Set(reflect.New(to.Type().Elem()))
			to.Elem().Set(reflect.ValueOf(s.values.Value(x.Field)).Convert(to.Type().Elem()))
			continue
		case x.Take == "last":
			why = s.without(whyNotPrinted)
		case d.N() > 0 && !fell:
			v := d.Describe()
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
