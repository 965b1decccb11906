package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mpanalyze/internal/report"
)

// layoutRow is one metric of a paper's table.
type layoutRow struct {
	metric  string // as in reports
	title   string // in the table
	unit    string
	stats   []layoutStat
	perPath bool
	symbol  string // of the paper, which numbers it by path; empty for none
}

// layoutStat is one statistic of a metric, and its name in the paper.
type layoutStat struct {
	name  string // as in reports
	title string // numberOfPath stands for d1, d2 ...
	unit  string // if it differs from the unit of the metric
}

// numberOfPath is the title of a statistic that the papers number by path.
const numberOfPath = "d"

// avMax holds the statistics of a delay in FI23 and FED23.
var avMax = []layoutStat{{name: "avg", title: "av"}, {name: "max", title: "max"}}

// streamingRows holds the rows of FI23's Table 3 and of FED23's Table 1: both papers print the
// same rows in the same order. The average of tau is over the cells of the protocol delay.
var streamingRows = []layoutRow{
	{"protocol_delay_ms", "protocol delay", "ms", avMax, false, "υ"},
	{holDegree, "HoL degree", "ms", avMax, false, "ζ"},
	{"srtt_ms", "SRTT", "ms", []layoutStat{{name: "cell_mean", title: "cell_mean"}, {name: "max", title: "max"}}, true, "τ"},
	{"drops", "mean drop rate", "seg/s", []layoutStat{{name: "per_s", title: numberOfPath}}, true, numberOfPath},
	{"throughput_mbps", "throughput", "Mbit/s", avMax, false, ""},
}

// layouts holds the tables with metrics down and scenarios across, by name.
var layouts = sync.OnceValue(func() map[string][]layoutRow {
	return map[string][]layoutRow{
		"fi23": streamingRows,
		"qoe24": {
			{"throughput_mbps", "throughput", "Mbit/s", []layoutStat{{name: "cell_mean", title: "cell_mean"}, {name: "variance", title: "variance", unit: "(Mbit/s)²"}}, false, ""},
			{"rtt_ms", "RTT", "ms", []layoutStat{{name: "avg", title: "mean"}, {name: "variance", title: "variance", unit: "ms²"}}, true, ""},
		},
		"rec16": {
			{"goodput_mbps", "goodput", "Mbit/s", []layoutStat{{name: "avg", title: "av"}}, false, ""},
			{"protocol_delay_ms", "protocol delay", "ms", []layoutStat{{name: "avg", title: "av"}}, false, ""},
			{"end_to_end_delay_ms", "end-to-end delay", "ms", avMax, false, ""},
			{"jitter_ms", "jitter", "ms", avMax, true, ""},
			{"dsn_offset_bytes", "DSN offset", "bytes", []layoutStat{{name: "peak", title: "peak"}, {name: "discontinuous_percent", title: "not continued", unit: "percent"}}, false, ""},
			{"out_of_order", "out of order", "", []layoutStat{{name: "ratio", title: "ratio"}, {name: "extent_ms.avg", title: "lateness av", unit: "ms"}}, false, ""},
		},
		AggregationName: {{"goodput_mbps", "goodput", "Mbit/s", []layoutStat{{name: "avg", title: "av"}}, false, ""}},
		"mix":           {{"bytes", "bytes", "bytes", []layoutStat{{}}, false, ""}},
		"matrix":        {{"bytes", "bytes", "bytes", []layoutStat{{}}, false, ""}},
		timeAccount:     {{timeAccount, "time", "percent", states(), false, ""}},
	}
})

// timeAccount is the metric of what the time went to, and the table of its states.
const timeAccount = "time_account"

// states returns the shares of the states, in their order of precedence.
func states() (out []layoutStat) {
	for _, s := range new(report.TimeAccount).States() {
		out = append(out, layoutStat{name: s.Name + ".percent", title: strings.ReplaceAll(s.Name, "_", " ")})
	}
	return append(out[1:], out[0]) // undetermined stands last
}

// Layouts returns the names of the tables.
func Layouts() []string { return slices.Sorted(maps.Keys(layouts())) }

// Layout holds the rows of a table.
type Layout struct {
	Style   Style    // of its numbers
	Figures []string // one for each row
	Notes   []string // why rows are absent, or replace others
	titles  map[string][]string
	symbols map[string][]string // the same for [Style.Symbols], by figure
	legend  []string            // what the symbols are
	names   map[string]string   // of a paper's rows, without path and statistic
	left    map[string][]string // by figure: the scenarios whose value is left out of the row
	ends    map[string]string   // by figure: whose captures it comes from
	cells   map[string]string   // by figure: the cell of the sampling grid that it depends on
	end     string              // ends and cells in words, for all rows
}

// heads returns the headings of a figure's row.
func (l *Layout) heads(figure string) []string {
	if h, ok := l.symbols[figure]; ok && l.Style.Symbols {
		return h
	}
	if h, ok := l.titles[figure]; ok {
		return h
	}
	return heads(figure)
}

// value returns a scenario's figure, if it stands in the figure's row.
func (l *Layout) value(s *Summary, figure string) (Aggregate, bool) {
	if slices.Contains(l.left[figure], s.Name) {
		return Aggregate{}, false
	}
	a, ok := s.Metrics[figure]
	return a, ok
}

// Paper returns the rows of a paper's table. The rows do not depend on the runs, except that
// rows of rec16 are left out if no run supports them.
func (s *Set) Paper(name string, d report.Direction) *Layout {
	l := &Layout{titles: map[string][]string{}, symbols: map[string][]string{}, names: map[string]string{}}
	some := false
	for _, row := range layouts()[name] {
		rows := []layoutRow{row}
		if row.metric == holDegree {
			rows = l.holRows(s, row, d)
		}
		for _, row := range rows {
			for _, figure := range l.rows(s, row, d) {
				some = some || s.has(figure)
			}
		}
	}
	switch {
	case !some:
		return &Layout{Notes: []string{"no run has any figure of this table; --metric takes others"}}
	case name == "rec16":
		l.dropUnsupported(s)
	default:
		l.noteEmptyRows(s)
	}
	l.complete(s)
	return l
}

// complete adds what the rows are, and what is not in them.
func (l *Layout) complete(s *Set) {
	l.dropSendOrder(s)
	l.noteClipped(s)
	l.ends, l.cells = map[string]string{}, map[string]string{}
	var rows, cells []string
	for _, f := range l.Figures {
		l.ends[f], l.cells[f] = endOf(f, s.all()...), gridCell(f, s.all()...)
		rows, cells = append(rows, l.cellName(f)), append(cells, l.cells[f])
	}
	l.end = joined(l.endNote(), cellNote(rows, cells))
}

// rows appends the figures of a row of a layout and returns them.
func (l *Layout) rows(s *Set, row layoutRow, d report.Direction) []string {
	first := len(l.Figures)
	add := func(place, title string, number int) {
		for _, stat := range row.stats {
			figure := strings.TrimSuffix(place+"."+row.metric+"."+stat.name, ".")
			h := []string{title, stat.title, row.unit}
			if stat.title == numberOfPath {
				h[1] += strconv.Itoa(number)
			}
			if stat.unit != "" {
				h[2] = stat.unit
			}
			l.Figures = append(l.Figures, figure)
			l.titles[figure], l.names[figure] = h, row.title
			if row.symbol != "" {
				l.addSymbol(figure, row.symbol, number)
			}
		}
	}
	if !row.perPath {
		add(string(d), row.title, 0)
	} else {
		for i, path := range s.paths() {
			add(string(d)+"."+path, row.title+" "+path, i+1)
		}
	}
	return l.Figures[first:]
}

// addSymbol names a row as the paper does: by the symbol with the number of the path, and "av" for
// each mean. The legend says what it stands for.
func (l *Layout) addSymbol(figure, symbol string, path int) {
	h := slices.Clone(l.titles[figure])
	for _, digit := range strconv.Itoa(path) {
		if path > 0 {
			symbol += string(digit - '0' + '₀')
		}
	}
	l.legend = Once(l.legend, symbol+": "+h[0])
	switch h[0] = symbol; {
	case h[1] == "cell_mean":
		h[1] = "av"
	case strings.HasPrefix(h[1], numberOfPath):
		h[1] = ""
	}
	l.symbols[figure] = h
}

// Rows returns one row for each figure that the user names.
func (s *Set) Rows(figures []string) *Layout {
	l := &Layout{Figures: figures, titles: map[string][]string{}}
	for _, f := range figures {
		if _, all := s.sendOrderScenarios(f); all {
			h := slices.Clone(heads(f))
			h[0] += " (" + sendOrderWords + ")"
			l.titles[f] = h
		}
	}
	l.complete(s)
	return l
}

// noteClipped adds a note that runs with a maximum of the HoL degree below 0 count as 0, if
// there are such runs.
func (l *Layout) noteClipped(s *Set) {
	for _, f := range l.Figures {
		if _, _, metric := splitFigure(f); metric != holDegree+".max" {
			continue
		}
		zero, all := 0, 0
		for _, m := range s.Members() {
			if v, ok := m.Figure(f); ok {
				all++
				if v == 0 {
					zero++
				}
			}
		}
		if zero > 0 {
			l.Notes = append(l.Notes, fmt.Sprintf("%s: %d of %d runs count as 0, which have no blocking, as the papers average it: max(zeta_max, 0)", rowName(l.heads(f)), zero, all))
		}
	}
}

// noteEmptyRows adds a note for each row without a value.
func (l *Layout) noteEmptyRows(s *Set) {
	var without []string
	for _, f := range l.Figures {
		if !s.has(f) {
			without = append(without, rowName(l.heads(f)))
		}
	}
	if len(without) > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("no run has %s; \"unavailable\" in their reports says why", strings.Join(without, ", ")))
	}
}

// rowName joins the headings of a row, without the unit.
func rowName(heads []string) string {
	return strings.TrimSpace(strings.Join(heads[:2], " "))
}

// The two forms of the HoL degree.
const (
	holDegree   = "hol_degree_ms"
	holBlocking = "hol_blocking_ms"
)

// holRows returns the rows of the HoL degree. A capture at the sender shows it too low, so that
// hol_blocking, which is not too low, has a row of its own there: of captures of both hosts it
// is the receiver's. Where the captures of scenarios were taken at different ends, or reports
// have no HoL degree of the end of their delays, hol_blocking stands alone.
func (l *Layout) holRows(s *Set, row layoutRow, d report.Direction) []layoutRow {
	blocking := row
	blocking.metric, blocking.title, blocking.symbol = holBlocking, "HoL blocking", "ζ′"
	var names []string
	all, mixed, both := true, false, true
	for _, sc := range s.Scenarios {
		at := slices.ContainsFunc(sc.Runs, func(m Member) bool { return slices.Contains(m.HoLAtSender, d) })
		if at {
			names = append(names, sc.Name)
		}
		all = all && (at || len(sc.Runs) == 0)
		mixed = mixed || slices.ContainsFunc(sc.Runs, func(m Member) bool { return m.mixesEnds() })
		both = both && !slices.ContainsFunc(sc.Runs, func(m Member) bool { return !m.Both })
	}
	switch {
	case mixed:
		l.Notes = append(l.Notes, "HoL degree absent: reports of both hosts made without --end have the receiver's beside delays of the sender; give the captures, or make reports with analyze --end")
		return []layoutRow{blocking}
	case len(names) == 0:
		return []layoutRow{row}
	case !all:
		l.Notes = append(l.Notes, "HoL degree absent: captures at the sender, of "+strings.Join(names, ", ")+", show it too low, and do not compare with those at the receiver (mpanalyze explain hol_degree)")
		return []layoutRow{blocking}
	}
	note := "HoL degree: captures at the sender show it too low (mpanalyze explain hol_degree); HoL blocking is the same quantity from measured waits"
	if both {
		blocking.title += ofReceiver
		note += ", at the receiver; --end receiver takes all rows from there"
	}
	l.Notes = append(l.Notes, note)
	return []layoutRow{row, blocking}
}
