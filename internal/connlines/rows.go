package connlines

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// SchemaName is the value of [Row.Schema].
const SchemaName = "mpanalyze.connections/2"

// Columns are the columns of [TSV] by importance, for [textwrap.NewColumns].
const Columns = "id:3 a:21 b:21 subflows a2b_bytes b2a_bytes duration_s state:12 a2b_mbps:9 b2a_mbps:9 kind:5 fallback:16 version vantage start:30 token_a:10 token_b:10"

// Row is one connection. Its fields are the columns, except the schema and, in [TSV], the verdicts: a
// report in short has none.
type Row struct {
	// Name and version of this form: mpanalyze.connections/2.
	Schema string `json:"schema"`
	// Which protocol the connection uses: "mptcp" or "tcp".
	Kind string `json:"kind"`
	// Number of the connection among those of its kind in the report.
	ID int `json:"id"`
	// Version of Multipath TCP, 0 or 1; null of plain TCP, and where no option that tells it was captured.
	Version *int `json:"version"`
	// Where the capture was taken.
	Vantage report.Vantage `json:"vantage"`
	// How the connection ended in this capture.
	State string `json:"state"`
	// Time of the first packet, RFC 3339 with nanoseconds.
	Start report.Time `json:"start"`
	// First to last packet, seconds.
	DurationS float64 `json:"duration_s"`
	// Address and port at host A, of subflow 0.
	A *string `json:"a"`
	// Address and port at host B, of subflow 0.
	B *string `json:"b"`
	// Number of subflows; null of plain TCP.
	Subflows *int `json:"subflows"`
	// Application data from A to B, each byte once; of plain TCP payload, each position of the stream once.
	BytesA2B *int64 `json:"a2b_bytes"`
	// The same from B to A.
	BytesB2A *int64 `json:"b2a_bytes"`
	// Average goodput from A to B, of plain TCP average throughput, Mbit/s.
	MbpsA2B *float64 `json:"a2b_mbps"`
	// The same from B to A.
	MbpsB2A *float64 `json:"b2a_mbps"`
	// Token of A's key in hexadecimal; null of plain TCP, and where the key was not captured.
	TokenA *string `json:"token_a"`
	// Token of B's key in hexadecimal; null of plain TCP, and where the key was not captured.
	TokenB *string `json:"token_b"`
	// Why the connection fell back to TCP, or what a plain connection has to do with Multipath TCP; null for nothing.
	Fallback *string `json:"fallback"`
	// Codes of what mpanalyze why says, the most severe first.
	Verdicts []report.VerdictCode `json:"verdicts"`
}

// multipath returns the row of a connection of Multipath TCP.
func multipath(c *report.Connection) *Row {
	a2b, b2a := cmp.Or(c.A2B, &report.ConnDir{}), cmp.Or(c.B2A, &report.ConnDir{})
	r := &Row{
		Schema: SchemaName, Kind: "mptcp", ID: c.ID, Version: c.Version, Vantage: c.Vantage, State: string(c.State), Start: c.Start, DurationS: c.DurationS,
		Subflows: new(len(c.Subflows)), BytesA2B: a2b.Bytes, BytesB2A: b2a.Bytes, MbpsA2B: average(a2b.Goodput), MbpsB2A: average(b2a.Goodput),
		TokenA: c.TokenA, TokenB: c.TokenB, Fallback: c.Fallback, Verdicts: codes(report.Known(c.Verdicts)),
	}
	if len(c.Subflows) > 0 {
		r.A, r.B = end(c.Subflows[0].A), end(c.Subflows[0].B)
	}
	return r
}

// plain returns the row of a connection of plain TCP.
func plain(c *report.TCP) *Row {
	a2b, b2a := cmp.Or(c.A2B, &report.SubDir{}), cmp.Or(c.B2A, &report.SubDir{})
	r := &Row{
		Schema: SchemaName, Kind: "tcp", ID: c.ID, Vantage: c.Vantage, State: string(c.State), Start: c.Start, DurationS: c.DurationS, A: end(c.A), B: end(c.B),
		BytesA2B: a2b.BytesUnique, BytesB2A: b2a.BytesUnique, MbpsA2B: average(a2b.Throughput), MbpsB2A: average(b2a.Throughput), Verdicts: codes(c.Verdicts),
	}
	if c.MPTCP != nil {
		r.Fallback = new("MPTCP " + string(*c.MPTCP) + ", not granted")
	}
	return r
}

func end(e report.Endpoint) *string { return new(net.JoinHostPort(e.Addr, strconv.Itoa(e.Port))) }

// average returns the average of a rate; nil where there is none.
func average(s *report.RateStat) *float64 {
	if s == nil {
		return nil
	}
	return &s.Avg
}

// codes returns the codes of verdicts, each once.
func codes(all []report.Verdict) []report.VerdictCode {
	out := []report.VerdictCode{}
	for i := range all {
		if !slices.Contains(out, all[i].Code) {
			out = append(out, all[i].Code)
		}
	}
	return out
}

// TSV writes a header and rows, columns separated by tabs, for grep, awk and cut. "-" stands for what is not known.
func TSV(w io.Writer, s report.Source) error {
	out := bufio.NewWriter(w)
	write := func(cells []string) error {
		for i, cell := range cells {
			cells[i] = cmp.Or(textwrap.Clean(cell), "-")
		}
		_, err := out.WriteString(strings.Join(cells[:len(cells)-1], "\t") + "\n") // without the verdicts
		return err
	}
	return rows(s, write, out.Flush)
}

// CSV writes a header and rows (RFC 4180). A cell of what is not known is empty.
func CSV(w io.Writer, s report.Source) error {
	out := csv.NewWriter(w)
	return rows(s, out.Write, func() error {
		out.Flush()
		return out.Error()
	})
}

// JSON writes a line of JSON for each connection, in the order of the report.
func JSON(w io.Writer, s report.Source) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return each(s, func(r *Row) error { return enc.Encode(r) }, out.Flush)
}

// each calls write with the row of each connection, then flush, and returns the first error.
func each(s report.Source, write func(*Row) error, flush func() error) (failed error) {
	add := func(r *Row) {
		if failed == nil {
			failed = write(r)
		}
	}
	err := report.Each(s, func(_ int, c *report.Connection) { add(multipath(c)) }, func(_ int, c *report.TCP) { add(plain(c)) })
	if err = cmp.Or(failed, err); err != nil {
		return err
	}
	return flush()
}

// rows does the same with the cells of a header and of each row.
func rows(s report.Source, write func(cells []string) error, flush func() error) error {
	var names []string
	for f := range reflect.TypeFor[Row]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	if err := write(names[1:]); err != nil {
		return err
	}
	return each(s, func(r *Row) error {
		var cells []string
		for _, v := range reflect.ValueOf(r).Elem().Fields() {
			cells = append(cells, cell(reflect.Indirect(v)))
		}
		return write(cells[1:])
	}, flush)
}

// cell returns a value as text; empty for none.
func cell(v reflect.Value) string {
	if !v.IsValid() {
		return ""
	}
	switch v := v.Interface().(type) {
	case float64:
		return string(decimal.AppendRounded(nil, v))
	case []report.VerdictCode:
		return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ";")
	default:
		return report.CellText(fmt.Sprint(v))
	}
}
