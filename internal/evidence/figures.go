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

// A term is a figure of records.
type term struct {
	catalogue.Metric
	reading
	Take    string  `json:"take"`    // of the values of rows: "all", for a distribution; "last"; "max"; or how many "rows" have one
	Absent  string  `json:"absent"`  // why there may be none, if not because ss did not print it
	Printed ability `json:"printed"` // of a last value

	name  string // in reports
	mptcp bool   // of a socket of Multipath TCP
	at    []int  // the place in the part of the report that has it
}

// A reading is what a row says of a figure.
type reading struct {
	Field hosts.Field `json:"field"`
	Scale float64     `json:"scale"` // unit of ss in that of the figure; 0 if they are the same
	Zero  bool        `json:"zero"`  // ss leaves the field out if it is 0
	Bytes bool        `json:"bytes"` // of segments of the size that the row prints
}

// value returns what a row says; has is false if it does not say it.
func (x *reading) value(r *hosts.Row) (v float64, has bool) {
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

// terms are the rows of terms.json: the figures of records in the order of the report, as rows of the catalogue. The
// formula says where ss prints it. Those of no report are in series.csv only.
var terms = sync.OnceValue(func() []term {
	all := read[[]term]("terms.json")
	series, from := SeriesNames(), string(report.FromKernel)
	for i := range all {
		x := &all[i]
		x.Levels, x.Better, x.Series = []catalogue.Level{catalogue.OfReport}, catalogue.NeitherIsBetter, slices.Contains(series, x.Name)
		x.Evidence = catalogue.Evidence{Sender: from, Receiver: from, Both: from}
		part := reflect.TypeFor[report.SubflowKernel]()
		if x.name, x.mptcp = strings.CutPrefix(x.JSON, "kernel."); x.mptcp {
			part = reflect.TypeFor[report.ConnectionKernel]()
		}
		x.name = strings.TrimPrefix(x.name, "subflows.kernel.")
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
		all = append(all, x.Metric)
	}
	return all
}

// figure returns the values that the rows of the socket have of a figure, by its name in reports.
func (s *socket) figure(name string) *stats.Dist {
	i := slices.IndexFunc(terms(), func(x term) bool { return x.mptcp == s.mptcp && x.name == name })
	return s.figures(i)
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
		if x := &all[i]; x.mptcp == s.mptcp && x.Take != "" && x.Take != "last" {
			if v, has := x.value(r); has {
				s.figures(i).Add(v)
			}
		}
	}
}

// fill fills in the figures of the part of the report that k points to; of those that there are not, it
// notes why.
func (s *socket) fill(k any, unavailable *report.Reasons) {
	part, all := reflect.ValueOf(k).Elem(), terms()
	for i := range all {
		x := &all[i]
		if x.mptcp != s.mptcp || x.Take == "" {
			continue
		}
		switch d, to := s.figures(i), part.FieldByIndex(x.at); x.Take {
		case "all":
			to.Set(reflect.ValueOf(s.summary(x, d, unavailable)))
		case "max":
			to.SetInt(int64(d.Max()))
		case "rows":
			to.SetInt(d.N())
		case "last":
			s.fillLast(x, to, unavailable)
		}
	}
}

// fillLast fills in a number of the last row with information.
func (s *socket) fillLast(x *term, to reflect.Value, unavailable *report.Reasons) {
	if s.info == 0 || !s.of.prints(s.last.at.File, x.Printed) || x.Printed == inRow && !s.values.Has(x.Field) {
		unavailable.Set(x.name, s.without(whyNotPrinted))
		return
	}
	to.Set(reflect.New(to.Type().Elem()))
	if v := s.values.Value(x.Field); to.Elem().CanInt() {
		to.Elem().SetInt(int64(v))
	} else {
		to.Elem().SetFloat(v)
	}
}

// summary returns the figures of a distribution; if there are none, it notes why. A socket that fell back has
// no data sequence numbers.
func (s *socket) summary(x *term, d *stats.Dist, unavailable *report.Reasons) *report.KernelStat {
	fell := s.fallback && x.Field == hosts.Unacked
	if d.N() > 0 && !fell {
		v := d.Describe()
		return &report.KernelStat{Avg: v.Mean, Min: v.Min, Max: v.Max, P50: v.P50, P95: v.P95, Stddev: v.Stddev, Samples: v.N, Evidence: report.FromKernel}
	}
	why := cmp.Or(x.Absent, whyNotPrinted)
	switch {
	case !s.mptcp && s.info == 0:
		why = whyNoRow
	case fell:
		why = whyFallback
	}
	unavailable.Set(x.name, why)
	return nil
}
