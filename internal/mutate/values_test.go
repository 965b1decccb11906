package mutate_test

import (
	encsv "encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/report/reporttest"
)

// extent is what a capture can show at most.
type extent struct {
	packets int
	seconds float64
	pair    bool // two captures, each with its clock
}

// anything is the extent of a table whose numbers are means over runs and their differences.
var anything = extent{packets: -1}

// signed are the fields that can be below 0 by their definition, and what is in them.
var signed = []string{
	"waiting_time", "hol_degree", "hol_degree_all_paths", // differences of delays
	"awnd_delta", "dsn_offset", "rwnd_free", "ipdv", // differences of neighbours
	"offset", "drift", "step", // of clocks
	"scheduler_regret",                                        // by how much earlier another path would have been
	"lost_segments",                                           // of an interval of live, as its schema says
	"time", "data_ack", "dsn", "ssn", "mapping", "seq", "ack", // positions from the first byte on: a wrong one may lie before it
}

// unbounded are times that do not lie in the capture: settings, bounds of errors, sums, and what
// is derived from rates.
var unbounded = []string{
	"summary", "rto", "rttvar", "played", "playout", "bound", "uncertainty", "drift_uncertainty", "cell", "options", "evidence",
	"startup", "stalled", "longest_stall", "since_open", "both_active", "scheduler_regret", "message_gap", "offset", "step",
}

// sums are times to which both halves of a round trip are added up, and a wait: away from the sender each
// half may be as long as the capture.
var sums = []string{"rtt", "srtt", "handshake_rtt", "path_delay", "protocol_delay", "end_to_end_delay"}

// places are times in the rows on packets and chunks. Of a pair each is by the clock of the capture that
// shows it: the rows are written before the difference of the clocks is known.
var places = []string{"sent_s", "acked_s", "data_acked_s", "arrived_s", "delivered_s"}

// above100 are percentages of something that is no whole.
var above100 = []string{"overhead_percent_of_data", "mean_percent", "percent_of_data"}

// packetCounts are numbers of packets besides those whose name ends in packets.
var packetCounts = []string{"captured_segments", "pure_acks", "dup_acks", "resets", "fins", "mp_tcprst", "keep_alives", "zero_window_events"}

// units of fields, by the end of the name.
var units = []struct {
	suffix  string
	seconds float64
}{{"_ms", 1e-3}, {"_s", 1}, {"seconds", 1}}

// field is what the rules need to know of a number by the names of all objects around it.
type field struct {
	name      string // without the figure of a statistic
	figure    string // avg, min and so on; "" for none
	seconds   float64
	parts     float64 // how many times the capture it may be long
	signed    bool
	unbounded bool
}

// figures of a statistic.
var figures = []string{"avg", "min", "max", "p50", "p95", "p99", "stddev", "samples", "variance", "cov", "cell_mean", "median", "mean"}

// fieldOf reads the names of a number.
func fieldOf(path []string) (f field) {
	last := len(path) - 1
	if last > 0 && slices.Contains(figures, path[last]) {
		f.figure, last = path[last], last-1
	}
	f.name, f.parts = path[last], 1
	for _, u := range units {
		if strings.HasSuffix(f.name, u.suffix) && !strings.HasSuffix(f.name, "per_s") {
			f.seconds = u.seconds
			break
		}
	}
	for _, name := range path {
		for _, u := range units {
			name = strings.TrimSuffix(name, u.suffix)
		}
		for _, unit := range []string{"_bytes", "_mbps", "_percent", "_ppm"} {
			name = strings.TrimSuffix(name, unit)
		}
		f.signed = f.signed || listed(signed, name)
		f.unbounded = f.unbounded || listed(unbounded, name)
		if listed(sums, name) {
			f.parts = 3
		}
	}
	if f.name == "t_s" && slices.Contains(path, "warnings") {
		f.signed = true // of a packet whose wrong time lies before the first packet
	}
	if path[0] == "live" && f.name == "bytes" {
		f.signed = true // its schema says so: later packets correct what was counted before
	}
	return f
}

// listed reports whether a list has a name, or the end of it as tables join the names of objects.
func listed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return name == one || strings.HasSuffix(name, "_"+one) })
}

// slack is the error of a sum of rounded numbers, as a part.
const slack = 1e-6

// wrong says which rule a number breaks; "" for none.
func (e extent) wrong(path []string, x float64) string {
	f := fieldOf(path)
	switch f.figure {
	case "samples", "stddev", "variance":
		if x < 0 {
			return f.figure + " below 0"
		}
		return ""
	case "cov":
		return ""
	}
	switch {
	case slices.Contains(places, f.name):
		if math.Abs(x) > 2*e.seconds && !e.pair { // steps of a clock may be taken out
			return "outside of the capture"
		}
	case x < 0 && !f.signed:
		return "below 0"
	case f.seconds > 0 && !f.unbounded && x*f.seconds > f.parts*e.seconds*(1+slack)+slack:
		return "longer than the capture"
	case strings.HasSuffix(f.name, "percent") && !slices.Contains(above100, f.name) && x > 100*(1+slack):
		return "above 100 percent"
	case f.name == "ratio" && x > 1+slack:
		return "a part above the whole"
	case (strings.HasSuffix(f.name, "packets") || slices.Contains(packetCounts, f.name)) && x > float64(e.packets):
		return "more packets than the capture has"
	}
	return ""
}

// findings collects broken rules; the key is the kind.
type findings map[string]string

func (f findings) add(kind, format string, args ...any) {
	if _, known := f[kind]; !known {
		f[kind] = fmt.Sprintf(format, args...)
	}
}

// values checks all numbers of a JSON value. path has the command and the names around it.
func (e extent) values(f findings, path []string, v any) {
	switch x := v.(type) {
	case map[string]any:
		e.ordered(f, path, x)
		for name, inner := range x {
			e.values(f, append(path[:len(path):len(path)], name), inner)
		}
	case []any:
		for _, inner := range x {
			e.values(f, path, inner)
		}
	default:
		n, ok := number(v)
		if !ok {
			return
		}
		if what := e.wrong(path, n); what != "" {
			f.add(place(path)+": "+what, "%v; the capture has %d packets in %v s", v, e.packets, e.seconds)
		}
	}
}

// place names a field without directions and figures, which go wrong together.
func place(path []string) string {
	var out []string
	for i, name := range path {
		if name != "a2b" && name != "b2a" && (i == 0 || !slices.Contains(figures, name)) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ".")
}

// ordered checks min <= avg <= max and the percentiles of a statistic.
func (e extent) ordered(f findings, path []string, x map[string]any) {
	least, ok1 := number(x["min"])
	most, ok2 := number(x["max"])
	if !ok1 || !ok2 {
		return
	}
	before := least
	for _, name := range []string{"p50", "p95", "p99"} {
		if n, ok := number(x[name]); ok {
			if n < before-tolerance(n) {
				f.add(place(path)+": percentiles out of order", "%v", x)
			}
			before = max(before, n)
		}
	}
	avg, ok := number(x["avg"])
	if _, rate := x["cell_mean"]; ok && !rate && (avg < least-tolerance(least) || avg > most+tolerance(most)) {
		f.add(place(path)+": mean outside of min and max", "%v", x)
	}
	if before > most+tolerance(most) || least > most {
		f.add(place(path)+": percentile above the maximum", "%v", x)
	}
}

// tolerance is the error of a number that was computed.
func tolerance(x float64) float64 { return 1e-9 * (1 + max(x, -x)) }

// checker knows the schemas of the program.
type checker struct{ schemas map[string]*jsonschema.Schema }

func newChecker(t *testing.T) *checker {
	t.Helper()
	c := &checker{map[string]*jsonschema.Schema{}}
	for _, name := range []string{"report", "compare", "packets", "events", "connections", "why", "live"} {
		c.schemas[name] = reporttest.Schema(t, []byte(run(t, []string{"explain", "--schema", name}).out))
	}
	return c
}

// allowed are the exit statuses of docs/messages.md that a capture can cause.
var allowed = map[cli.ExitCode]bool{cli.ExitOK: true, cli.ExitFailed: true, cli.ExitDamaged: true, cli.ExitWorse: true, cli.ExitCannotTell: true}

// check checks what a command left.
func (c *checker) check(f findings, e extent, line command, r result) {
	from := line.args[0]
	switch {
	case r.panicked != "":
		f.add(from+": panic: "+firstLine(r.panicked), "%s", r.panicked)
		return
	case !allowed[r.status]:
		f.add(from+": exit status "+strconv.Itoa(int(r.status)), "%s", r.err)
	case r.status != cli.ExitOK && r.err == "" && r.out == "":
		f.add(from+": a status without a message", "status %d", r.status)
	case r.heap > mostHeap:
		f.add(from+": memory", "%d bytes of heap", r.heap)
	}
	switch line.form {
	case doc, loose:
		c.document(f, e, line, r.out)
	case lines:
		for text := range strings.Lines(r.out) {
			c.document(f, e, line, text)
		}
	case csv:
		if line.args[0] == "compare" {
			e = anything
		}
		e.table(f, from, r.out, ',')
	case tsv:
		e.table(f, from, r.out, '\t')
	}
	if line.form == tables {
		e.tables(f, from, line.what)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// document checks a JSON document.
func (c *checker) document(f findings, e extent, line command, text string) {
	if text == "" {
		return // the message says why
	}
	from := line.args[0]
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		f.add(from+": no JSON", "%v: %.200s", err, text)
		return
	}
	if s := c.schemas[line.what]; s != nil {
		if err := s.Validate(v); err != nil {
			f.add(from+": not as its schema says: "+where(err), "%v", err)
		}
	}
	if line.args[0] != "compare" { // its numbers are means and differences
		e.values(f, []string{from}, v)
	}
}

// where names the field that breaks a schema, without its indices.
func where(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return ""
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	var names []string
	for _, name := range invalid.InstanceLocation {
		if _, err := strconv.Atoi(name); err != nil {
			names = append(names, name)
		}
	}
	return place(names)
}

// number returns the number that a JSON value is.
func number(v any) (float64, bool) {
	x, ok := v.(json.Number)
	n, err := x.Float64()
	return n, ok && err == nil
}

// tables checks the tables that a command wrote.
func (e extent) tables(f findings, from, dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		f.add(from+": tables", "%v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.add(from+": tables", "%v", err)
		}
		e.table(f, from+" "+filepath.Base(name), string(text), ',')
	}
}

// table checks that each row has the columns of the header, and its numbers.
func (e extent) table(f findings, from, text string, comma rune) {
	r := encsv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = comma, comma == '\t', -1, true
	row, err := r.Read()
	header := slices.Clone(row)
	for err == nil {
		if row, err = r.Read(); err != nil {
			break
		}
		if len(row) != len(header) {
			f.add(from+": a row with other columns than the header", "%q", row)
			continue
		}
		e.row(f, from, header, row)
	}
	if !errors.Is(err, io.EOF) {
		f.add(from+": no table", "%v", err)
	}
}

// row checks the numbers of a row by the names of their columns.
func (e extent) row(f findings, from string, header, row []string) {
	metric := ""
	for i, name := range header {
		if name == "metric" || name == "unit" && metric != "" {
			metric += "_" + row[i] // series and distributions: the name of a metric, then its unit
		}
		n, err := strconv.ParseFloat(row[i], 64)
		if err != nil || e == anything {
			continue
		}
		path := column(name)
		if metric != "" && name != "t_s" {
			path = append(column(strings.Trim(metric, "_")), path...)
		}
		if what := e.wrong(path, n); what != "" {
			f.add(from+" "+place(path)+": "+what, "%s in %q; the capture has %d packets in %v s", row[i], row, e.packets, e.seconds)
		}
	}
}

// column divides the name of a column as the document does: a2b_rtt_ms_avg is the figure avg of
// rtt_ms.
func column(name string) []string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "a2b_"), "b2a_")
	for _, figure := range figures {
		if rest, ok := strings.CutSuffix(name, "_"+figure); ok {
			return []string{rest, figure}
		}
	}
	return []string{name}
}
