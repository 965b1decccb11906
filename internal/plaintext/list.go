package plaintext

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/report"
)

// listHeader names the columns of [Connections].
const listHeader = "kind\tid\tversion\tvantage\tstate\tstart\tduration_s\ta\tb\tsubflows\ta2b_bytes\tb2a_bytes\ta2b_mbps\tb2a_mbps\ttoken_a\ttoken_b\tfallback"

// ListColumns are its columns by importance, for [textwrap.NewColumns].
const ListColumns = "id:3 a:21 b:21 subflows a2b_bytes b2a_bytes duration_s state:12 a2b_mbps:9 b2a_mbps:9 kind:5 fallback:16 version vantage start:30 token_a:10 token_b:10"

// Connections writes a line per connection, columns separated by tabs below
// one header line, for grep, awk and cut. "-" stands for what is not known.
func Connections(w io.Writer, s report.Source) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, listHeader)
	line := func(cells []string) { fmt.Fprintln(out, strings.Join(cells, "\t")) }
	if err := report.Each(s, func(_ int, c *report.Connection) { line(connectionCells(c)) }, func(_ int, c *report.TCP) { line(tcpCells(c)) }); err != nil {
		return err
	}
	return out.Flush()
}

func connectionCells(c *report.Connection) []string {
	a, b := none, none
	if len(c.Subflows) > 0 {
		a, b = endpoint(c.Subflows[0].A), endpoint(c.Subflows[0].B)
	}
	a2b, b2a := cmp.Or(c.A2B, &report.ConnDir{}), cmp.Or(c.B2A, &report.ConnDir{})
	return []string{
		"mptcp", strconv.Itoa(c.ID), known(c.Version, strconv.Itoa), string(c.Vantage), string(c.State),
		c.Start.String(), number(c.DurationS), a, b, strconv.Itoa(len(c.Subflows)),
		known(a2b.Bytes, integer), known(b2a.Bytes, integer),
		known(a2b.Goodput, rateNumber), known(b2a.Goodput, rateNumber),
		known(c.TokenA, Clean), known(c.TokenB, Clean), known(c.Fallback, Clean),
	}
}

func tcpCells(c *report.TCP) []string {
	a2b, b2a := cmp.Or(c.A2B, &report.SubDir{}), cmp.Or(c.B2A, &report.SubDir{})
	return []string{
		"tcp", strconv.Itoa(c.ID), none, string(c.Vantage), string(c.State),
		c.Start.String(), number(c.DurationS), endpoint(c.A), endpoint(c.B), none,
		known(a2b.BytesUnique, integer), known(b2a.BytesUnique, integer),
		known(a2b.Throughput, rateNumber), known(b2a.Throughput, rateNumber),
		none, none, tcpNote(c),
	}
}

// number is a number as the tables write it.
func number(v float64) string { return string(decimal.AppendRounded(nil, v)) }

func integer(n int64) string { return strconv.FormatInt(n, 10) }

func rateNumber(s report.RateStat) string { return number(s.Avg) }

// versionOf names the version of a connection, which the capture may not show.
func versionOf(c *report.Connection) string {
	if c.Version == nil {
		return "of unknown version"
	}
	return version(*c.Version)
}

func version(n int) string { return "v" + strconv.Itoa(n) }

// tcpNote says what a plain connection has to do with Multipath TCP.
func tcpNote(c *report.TCP) string {
	if c.MPTCP == nil {
		return none
	}
	return "MPTCP " + string(*c.MPTCP) + ", not granted"
}
