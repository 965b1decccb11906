package plaintext

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/report"
)

// listHeader names the columns of [Connections].
const listHeader = "kind\tid\tversion\tvantage\tstate\tstart\tduration_s\ta\tb\tsubflows\ta2b_bytes\tb2a_bytes\ta2b_mbps\tb2a_mbps\ttoken_a\ttoken_b\tfallback"

// Connections writes a line per connection, columns separated by tabs below
// one header line, for grep, awk and cut. "-" stands for what is not known.
func Connections(w io.Writer, s report.Source) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, listHeader)
	for i := range s.NumConnections() {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, strings.Join(connectionCells(c), "\t"))
	}
	for i := range s.NumTCP() {
		c, err := s.TCPAt(i)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, strings.Join(tcpCells(c), "\t"))
	}
	return out.Flush()
}

func connectionCells(c *report.Connection) []string {
	a, b := none, none
	if len(c.Subflows) > 0 {
		a, b = endpoint(c.Subflows[0].A), endpoint(c.Subflows[0].B)
	}
	return []string{
		"mptcp", strconv.Itoa(c.ID), small(c.Version), string(c.Vantage), string(c.State),
		c.Start.String(), number(c.DurationS), a, b, strconv.Itoa(len(c.Subflows)),
		integer(c.A2B.Bytes), integer(c.B2A.Bytes),
		rateNumber(c.A2B.Goodput), rateNumber(c.B2A.Goodput),
		optional(c.TokenA), optional(c.TokenB), optional(c.Fallback),
	}
}

func tcpCells(c *report.TCP) []string {
	return []string{
		"tcp", strconv.Itoa(c.ID), none, string(c.Vantage), string(c.State),
		c.Start.String(), number(c.DurationS), endpoint(c.A), endpoint(c.B), none,
		integer(c.A2B.BytesUnique), integer(c.B2A.BytesUnique),
		rateNumber(c.A2B.Throughput), rateNumber(c.B2A.Throughput),
		none, none, tcpNote(c),
	}
}

// number is a number as the tables write it.
func number(v float64) string { return string(decimal.AppendRounded(nil, v)) }

func integer(n *int64) string {
	if n == nil {
		return none
	}
	return strconv.FormatInt(*n, 10)
}

func small(n *int) string {
	if n == nil {
		return none
	}
	return strconv.Itoa(*n)
}

// versionOf names the version of a connection, which the capture may not show.
func versionOf(c *report.Connection) string {
	if c.Version == nil {
		return "of unknown version"
	}
	return "v" + strconv.Itoa(*c.Version)
}

// shortVersion is versionOf for a column.
func shortVersion(c *report.Connection) string {
	if c.Version == nil {
		return none
	}
	return versionOf(c)
}

func rateNumber(s *report.RateStat) string {
	if s == nil {
		return none
	}
	return number(s.Avg)
}

func optional(s *string) string {
	if s == nil {
		return none
	}
	return Clean(*s)
}

// tcpNote says what a plain connection has to do with Multipath TCP.
func tcpNote(c *report.TCP) string {
	if c.MPTCP == nil {
		return none
	}
	return "MPTCP " + string(*c.MPTCP) + ", not granted"
}
